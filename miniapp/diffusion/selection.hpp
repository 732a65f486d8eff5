// SPDX-License-Identifier: BSD-3-Clause
// Which variants, with which tunings, the user's words select.
#pragma once
#include <string>
#include <vector>

#include "diffusion/variant.hpp"
#include "study/selection.hpp"

namespace parity::diffusion {

struct Selected {
  const Entry* entry;
  const Mechanism* mechanism;
  Tuning tuning;  ///< empty for a variant without one

  /// Kernel and mechanism, "cuda-fused-2d+graph-two"; a plain stream is not named.
  std::string variant() const { return entry->name + (mechanism->plain() ? "" : "+" + mechanism->name); }
  /// With the tuning, as a user types it.
  std::string name() const { return variant() + (tuning.values.empty() ? "" : "/" + to_string(tuning)); }
  CostModel model(const Problem& p) const { return with_mechanism(entry->model(p), *mechanism, p); }
};

using study::Tunings;

/// Resolves words kernel[+mechanism][/tuning], such as "kokkos-fused", "diffusion/kokkos-*",
/// "cuda-fused-2d/8x32", "kokkos-fused/*" (all tunings), "cuda-baseline+graph-two" or "*-baseline+*" (all
/// mechanisms that the kernel knows), in the registry's order, each row once. Without a mechanism the plain
/// stream is meant. Throws UsageError with the nearest names for a word that selects nothing.
std::vector<Selected> select(const std::vector<Entry>& registry, const std::vector<std::string>& words,
                             const Tunings& tunings = {});

/// Why a kernel does not know a mechanism here; nullopt when it does.
std::optional<std::string> why_no_mechanism(const Entry& entry, const Mechanism& mechanism);

/// Why the selected variant cannot compute the problem here; nullopt when it can.
std::optional<std::string> why_not(const Selected& selected, const Problem& problem);

}  // namespace parity::diffusion

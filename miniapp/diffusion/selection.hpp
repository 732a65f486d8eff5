// SPDX-License-Identifier: BSD-3-Clause
// Which variants, with which tunings, the user's words select.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "diffusion/variant.hpp"

namespace parity::diffusion {

struct Selected {
  const Entry* entry;
  Tuning tuning;  ///< empty for a variant without one
  std::string name() const { return entry->name + (tuning.values.empty() ? "" : "/" + to_string(tuning)); }
};

/// Default tunings that replace the first of an entry's list, by variant name.
using Tunings = std::map<std::string, std::string>;

/// Resolves words such as "kokkos-fused", "diffusion/kokkos-*", "cuda-fused-2d/8x32" or "kokkos-fused/*" (all
/// tunings) in the registry's order, each row once. Throws UsageError with the nearest names for a word that
/// selects nothing.
std::vector<Selected> select(const std::vector<Entry>& registry, const std::vector<std::string>& words,
                             const Tunings& tunings = {});

/// Why the selected variant cannot compute the problem here; nullopt when it can.
std::optional<std::string> why_not(const Selected& selected, const Problem& problem);

/// Checks a table of tunings against the registry; throws UsageError.
void check_tunings(const std::vector<Entry>& registry, const Tunings& tunings);

}  // namespace parity::diffusion

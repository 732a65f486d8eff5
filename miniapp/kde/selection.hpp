// SPDX-License-Identifier: BSD-3-Clause
// Which KDE variants, with which tunings, the user's words select.
#pragma once
#include <string>
#include <vector>

#include "kde/variant.hpp"
#include "study/selection.hpp"

namespace parity::kde {

struct Selected {
  const Entry* entry;
  Tuning tuning;  ///< empty for a variant without one

  std::string name() const {
    return entry->name + (tuning.values.empty() ? "" : "/" + study::to_string(tuning));
  }
};

/// Resolves words kernel[/tuning], such as "kokkos-split", "kde/cuda-*", "cuda-register-tile/8" or
/// "openmp-polynomial/*" (all tunings). Throws study::UsageError with the nearest names.
std::vector<Selected> select(const std::vector<Entry>& registry, const std::vector<std::string>& words,
                             const study::Tunings& tunings = {});

/// Why the selected variant cannot compute the problem here; nullopt when it can.
std::optional<std::string> why_not(const Selected& selected, const Problem& problem);

}  // namespace parity::kde

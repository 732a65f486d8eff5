// SPDX-License-Identifier: BSD-3-Clause
// Measured weak and strong scaling: rows of several ranks against rows of one.
#pragma once
#include <optional>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// A row of several ranks.
struct ScaledRow {
  const harness::Measurement* row = nullptr;
  int ranks = 1;
  double seconds = 0;  ///< of a step; of kde, of all densities
  /// Efficiencies against a row of one rank with the same part (weak) or the same whole (strong), where the
  /// records have one.
  std::optional<double> weak, strong;
};

/// Throws runtime::UsageError where no verified row of several ranks is there. Valid as long as 'rows' is.
std::vector<ScaledRow> scaled_rows(const std::vector<harness::Measurement>& rows);

}  // namespace parity::analysis

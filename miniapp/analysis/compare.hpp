// SPDX-License-Identifier: BSD-3-Clause
// Which rows changed between two sets of records, beyond their noise.
#pragma once
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

enum class Change { none, faster, slower, too_slow, wrong };

/// One row that both sets hold.
struct Changed {
  std::string key;
  Change change = Change::none;
  double before = 0, after = 0;  ///< median seconds
};

/// In the order of the keys. A row is faster or slower where the medians' intervals are apart, and too slow
/// beyond 'factor' times its time of before; a row that failed its check is wrong whatever it was before.
std::vector<Changed> compare(const std::vector<harness::Measurement>& before,
                             const std::vector<harness::Measurement>& after, double factor);

}  // namespace parity::analysis

// SPDX-License-Identifier: BSD-3-Clause
// Which rows changed between two sets of records, beyond what another run would.
#pragma once
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

enum class Change {
  none,
  faster,
  slower,
  too_slow,
  wrong,
  undecided,      ///< too few blocks on one side for an interval
  undecided_slow  ///< likewise, and beyond the factor: nobody can say that it is noise
};

/// One row that both sets hold.
struct Changed {
  std::string key;
  Change change = Change::none;
  harness::Estimate before, after;  ///< seconds
};

/// In the order of the keys. A row is faster or slower where each time lies outside of the other's interval,
/// and too slow beyond 'factor' times its time of before; a row that failed its check is wrong whatever it
/// was before.
std::vector<Changed> compare(const std::vector<harness::Measurement>& before,
                             const std::vector<harness::Measurement>& after, double factor);

}  // namespace parity::analysis

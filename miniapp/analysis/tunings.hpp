// SPDX-License-Identifier: BSD-3-Clause
// The best tuning of each variant on each problem of a sweep. Its ratio to another's is to be measured anew:
// the best of many is partly the luckiest.
#pragma once
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// Of a variant with tunings, on one problem.
struct Tuned {
  const harness::Measurement* best = nullptr;    ///< the shortest time; of equal ones the first
  const harness::Measurement* second = nullptr;  ///< the next; null where one tuning was tried
  int tried = 0;                                 ///< tunings that were right and have a time
};

/// Problem by problem, variant by variant, in the order of the rows; valid as long as 'rows' is.
std::vector<Tuned> best_tunings(const std::vector<harness::Measurement>& rows);

/// Variants of whose twins a different number of tunings was tried on a problem, a line each: the side with
/// more of them has had more luck. A side that has none to try counts as none.
std::vector<std::string> unequal_budgets(const std::vector<harness::Measurement>& rows);

}  // namespace parity::analysis

// SPDX-License-Identifier: BSD-3-Clause
// The best native and the best portable rate of a study on a device, beside what the original work began
// with.
#pragma once
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// Of one device, study and precision: the problem with the highest native rate, of those where a run
/// measured both sides if there are any, in starts enough for intervals if there are such; and the fastest
/// rows of its run.
struct BestRate {
  std::string device, study, precision;
  const harness::Measurement* native = nullptr;
  const harness::Measurement* portable = nullptr;
  const harness::Measurement* original = nullptr;  ///< the original work's own form in that run, or null
  harness::Estimate ratio;        ///< native time / portable time; no blocks where one is missing
  harness::Estimate native_gain;  ///< original time / native time
  harness::Estimate portable_gain;
};

/// Rows whose first metric is a rate. Wrong rows, those of another method, floors, sums that skip pairs and
/// rows of several ranks have none. Of several runs of a problem a later one counts in the place of one whose
/// fastest rows it measured again; of the others those with intervals come first, then the fastest. Valid as
/// long as 'rows' is.
std::vector<BestRate> best_rates_of(const std::vector<harness::Measurement>& rows);

}  // namespace parity::analysis

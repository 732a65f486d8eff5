// SPDX-License-Identifier: BSD-3-Clause
// Repeated values in samples: rounding, heaping, the zeros of rainfall data.
#pragma once
#include <string>

#include "tools/density/sums.hpp"

namespace parity::density {

/// Repeated values that a Gaussian kernel shows as separate peaks: each makes up more than three quarters of
/// the density at its position.
struct RepeatedValues {
  double share = 0;   ///< of the weight
  double value = 0;   ///< the heaviest of them
  double smooth = 0;  ///< the smallest bandwidth that hides them; 0 if none does
  /// True if they are worth reporting: more than a hundredth.
  bool any() const { return share > 0.01; }
  /// "12 % of the samples repeat values such as 3".
  std::string text() const;
};

/// Estimated from up to 65,536 of this rank's samples; least_count: copies that make a value repeated.
RepeatedValues repeats_shown(const SampleSet& samples, double h, int least_count = 3);

}  // namespace parity::density

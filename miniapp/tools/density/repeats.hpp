// SPDX-License-Identifier: BSD-3-Clause
// Values that samples repeat: rounded ones, heaps, the zeros of rain.
#pragma once
#include <string>

#include "tools/density/sums.hpp"

namespace parity::density {

/// Repeated values that a Gaussian kernel shows as peaks of their own: each makes more than three quarters of
/// the density at its place.
struct RepeatedValues {
  double share = 0;   ///< of the weight
  double value = 0;   ///< the heaviest of them
  double smooth = 0;  ///< the least bandwidth that hides them; 0 if none does
  /// Whether they are worth a word: more than a hundredth.
  bool any() const { return share > 0.01; }
  /// "12 % of the samples repeat values such as 3".
  std::string text() const;
};

/// By up to 65,536 of this rank's samples; values count from so many copies on.
RepeatedValues repeats_shown(const SampleSet& samples, double h, int least_count = 3);

}  // namespace parity::density

// SPDX-License-Identifier: BSD-3-Clause
// Order statistics of timing samples: no assumption about their distribution.
#pragma once
#include <limits>
#include <vector>

namespace parity::harness {

/// Seconds, sorted out. The interval [low, high] holds the median with 95 % confidence (exact binomial order
/// statistics; with fewer than six samples it is the whole range, which holds it with less).
struct Summary {
  int count = 0;
  double minimum = 0, lower_quartile = 0, median = 0, upper_quartile = 0, maximum = 0, mean = 0;
  double low = 0, high = 0;
  /// Half the interval's width over the median; infinite where noise took the median to zero or below.
  double relative_half_width() const {
    if (count == 0) return 0;
    return median > 0 ? 0.5 * (high - low) / median : std::numeric_limits<double>::infinity();
  }
};

/// All zero for no samples.
Summary summarise(std::vector<double> samples);

/// A ratio (or difference) of medians with its 95 % bootstrap interval (percentile method, fixed seed).
struct Ratio {
  double value = 0, low = 0, high = 0;
};
Ratio ratio_of_medians(const std::vector<double>& numerator, const std::vector<double>& denominator);
/// Likewise the difference a - b of medians.
Ratio difference_of_medians(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace parity::harness

// SPDX-License-Identifier: BSD-3-Clause
// How well portable code does on all platforms of the records at once: Pennycook's performance portability.
#pragma once
#include <string>
#include <vector>

#include "analysis/pairs.hpp"

namespace parity::analysis {

/// One platform's part in the metric.
struct Efficiency {
  std::string platform;  ///< the device of the records
  double value = 0;      ///< harmonic mean of native time / portable time over the pairs; 0 without a pair
  int pairs = 0;
};

/// One study, problem and column of portable rows. The metric is the harmonic mean of the efficiencies e_i
/// over the platforms of a set H, |H| / sum 1/e_i, and 0 where one platform has no efficiency (Pennycook,
/// Sewall and Lee, Implications of a metric for performance portability, 2019). H: the platforms that have a
/// pair of this study and problem.
struct Portability {
  std::string study, problem;
  bool best = false;  ///< of all portable rows, not of the idiomatic ones
  double value = 0;
  std::vector<Efficiency> platforms;
  /// The metric of the first platform, of the first two, ...: a cascade, from the highest efficiency down. As
  /// long as 'platforms', which stand in that order.
  std::vector<double> cascade;
};

/// Of pairs that are launched plainly and compute something, as rates: a time that is a result by itself has
/// no efficiency. Of several runs on a platform the latest counts.
std::vector<Portability> portabilities_of(const std::vector<Pair>& pairs);

}  // namespace parity::analysis

// SPDX-License-Identifier: BSD-3-Clause
// The density of a user's samples: method, boundaries, logarithm, and the check of the results.
#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "tools/density/sums.hpp"

namespace parity::density {

enum class Method { automatic, direct, transform, binned, window };
enum class Boundary { none, reflect, periodic };

struct DensityOptions {
  double bandwidth = 0;
  Kernel kernel;
  Method method = Method::automatic;
  Boundary boundary = Boundary::none;
  /// Domain of reflect (either end may be infinite) and periodic (both ends finite).
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double tolerance = 1e-8;  ///< of approximate methods, relative to the largest density
  bool logarithm = false;
  bool deterministic = false;
  /// Names in messages: the files.
  std::string samples_name = "the samples", points_name = "the points";
};

struct Density {
  /// At the points, all finite; natural logarithms if requested: -inf if a compact kernel gives 0 or if a
  /// logarithm is beyond the largest double.
  Numbers values;
  std::string method;
  double bound = 0;    ///< guaranteed, relative to the largest density anywhere on the line
  double checked = 0;  ///< largest error found at some points by direct sums, relative to the largest value
  std::int64_t checks = 0;
  bool fewer_checks = false;  ///< fewer than 1000, because there were too many pairs
};

/// f(q) = peak / (W h) sum_j w_j k((q - x_j) / h), W is the total weight. Points outside the domain get 0.
/// Collective: each rank has its own points, and the ranks share the samples or each has all of them. Shared
/// samples work without logarithm for a Gaussian kernel's direct sums or dense transform. Throws
/// runtime::UsageError for conflicting options and for samples outside the domain or beyond largest_number;
/// runtime::Error (a check failed) if a checked value exceeds its bound.
Density estimate(const SampleSet& samples, Values points, const DensityOptions& options);

}  // namespace parity::density

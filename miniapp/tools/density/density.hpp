// SPDX-License-Identifier: BSD-3-Clause
// The density of a user's samples: method, boundaries, logarithm, and the check of what was computed.
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
  /// The domain of reflect (either end may be infinite) and periodic (both finite).
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double tolerance = 1e-8;  ///< of approximate methods, relative to the largest density
  bool logarithm = false;
  bool deterministic = false;
  /// What messages call them: files.
  std::string samples_name = "the samples", points_name = "the points";
};

struct Density {
  /// At the points, each finite; natural logarithms where asked for, -inf where a compact kernel is 0 and
  /// where a logarithm is beyond the largest double.
  Numbers values;
  std::string method;
  double bound = 0;    ///< guaranteed, relative to the largest density over all of the line
  double checked = 0;  ///< largest error found at some points by direct sums, relative to the largest value
  std::int64_t checks = 0;
  bool fewer_checks = false;  ///< than 1000, because there were too many pairs
};

/// f(q) = peak / (W h) sum_j w_j k((q - x_j) / h), W the total weight. Points outside of a domain get 0.
/// Ranks have points each, and share the samples or have all of them: they call it together. Without
/// logarithm and with a Gaussian kernel's direct sums or dense transform, samples may be shared. Throws
/// runtime::UsageError for options that do not fit together and samples outside of the domain or beyond
/// largest_number, runtime::Error (a check failed) when a checked value is outside its bound.
Density estimate(const SampleSet& samples, Values points, const DensityOptions& options);

}  // namespace parity::density

// SPDX-License-Identifier: BSD-3-Clause
// The density of a user's samples: method, boundaries, logarithm, and the check of what was computed.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "density/sums.hpp"

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
};

struct Density {
  std::vector<double> values;  ///< at the points; natural logarithms where asked for
  std::string method;
  double bound = 0;    ///< guaranteed, relative to the largest density over all of the line
  double checked = 0;  ///< largest error found at some points by direct sums, relative to the largest value
  int checks = 0;
};

/// f(q) = peak / (W h) sum_j w_j k((q - x_j) / h), W the total weight. Points outside of a domain get 0.
/// Throws runtime::UsageError for options that do not fit together or samples outside of the domain,
/// runtime::Error (a check failed) when a checked value is outside its bound.
Density estimate(const Samples& samples, const std::vector<double>& points, const DensityOptions& options);

}  // namespace parity::density

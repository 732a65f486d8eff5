// SPDX-License-Identifier: BSD-3-Clause
// Error measurement: recomputes some sums from the definition and compares them with a method's results.
#pragma once
#include <cstdint>
#include <vector>

#include "tools/density/sums.hpp"

namespace parity::density {

/// Number of points to check, and the minimum if the pairs limit it.
constexpr std::int64_t wanted_checks = 1000, least_checks = 16;

/// The points out of m to check, evenly spaced: all, 1000, or as many as most_checked_pairs() allows if each
/// costs pairs_a_point.
std::vector<std::size_t> checked_points(std::size_t m, double pairs_a_point);

/// Positions whose sums add up to one point's sum: the point itself and its images in a domain.
struct CheckedPoint {
  std::size_t point;
  Numbers places;
};

struct Found {
  double error = 0;    ///< the largest, relative to the largest known sum; NaN if a sum is NaN
  double largest = 0;  ///< of the given sums and the recomputed ones
  std::int64_t checks = 0;
};

/// exact_sums over all ranks' samples. Collective; all ranks pass the same queries.
Numbers exact_sums_of_all(const SampleSet& samples, Values queries, double h, const Kernel& kernel);
/// The same for pairs_to_check.
double pairs_of_all(const SampleSet& samples, Values queries, double h, const Kernel& kernel);

/// Compares values[p.point] with the exact sum over p.places, for every p. largest: of all values.
Found find_error(const SampleSet& samples, const std::vector<CheckedPoint>& points, Values values,
                 double largest, double h, const Kernel& kernel);

/// The same relative to the largest sum at some of the samples, if that is larger: all points may lie far
/// from the samples, but guarantees are relative to the largest density anywhere.
Found relative_to_samples(Found found, const SampleSet& samples, double h, const Kernel& kernel);

/// Throws runtime::Error (a check failed) if the error exceeds the guaranteed one.
void require_within(const Found& found, double guaranteed);

}  // namespace parity::density

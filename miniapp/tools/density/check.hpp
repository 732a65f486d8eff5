// SPDX-License-Identifier: BSD-3-Clause
// Found errors: some sums once more from first principles, against what a method gave.
#pragma once
#include <cstdint>
#include <vector>

#include "tools/density/sums.hpp"

namespace parity::density {

/// Points that are checked where there are as many, and never fewer than the least.
constexpr std::int64_t wanted_checks = 1000, least_checks = 16;

/// Which of m points are checked: all, 1000, or as many as most_checked_pairs() allows where each costs
/// pairs_a_point; evenly through the points.
std::vector<std::size_t> checked_points(std::size_t m, double pairs_a_point);

/// The places of some points whose sums are one point's: itself, or its images in a domain.
struct CheckedPoint {
  std::size_t point;
  Numbers places;
};

struct Found {
  double error = 0;    ///< the largest, relative to the largest sum known; NaN where a sum is none
  double largest = 0;  ///< of the sums given and those found
  std::int64_t checks = 0;
};

/// exact_sums over all ranks' samples. All ranks call it together, with the same queries.
Numbers exact_sums_of_all(const SampleSet& samples, Values queries, double h, const Kernel& kernel);
/// The same of pairs_to_check.
double pairs_of_all(const SampleSet& samples, Values queries, double h, const Kernel& kernel);

/// values[p.point] against the exact sum over p.places, for every p. largest: of all values.
Found find_error(const SampleSet& samples, const std::vector<CheckedPoint>& points, Values values,
                 double largest, double h, const Kernel& kernel);

/// The same relative to the largest sum at some of the samples, where that is larger: all points may lie far
/// from the samples, and guarantees are relative to the largest density anywhere.
Found relative_to_samples(Found found, const SampleSet& samples, double h, const Kernel& kernel);

/// Throws runtime::Error (a check failed) unless the error found is within what is guaranteed.
void require_within(const Found& found, double guaranteed);

}  // namespace parity::density

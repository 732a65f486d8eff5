// SPDX-License-Identifier: BSD-3-Clause
// The filter on planes with missing points (NaN): both Laplacian sums omit missing neighbours, so that the
// filter's weights still sum to one. Nothing flows into a gap. Farther than two points per step from any gap
// it equals the plain filter.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/problem.hpp"

namespace parity::filter {

/// Runs on Kokkos' execution space.
template <class T>
class MaskedFilter {
 public:
  /// Uses the whole problem except its steps.
  explicit MaskedFilter(const diffusion::Problem& problem);
  ~MaskedFilter();
  /// Filters planes (nz, ny, nx) in place; NaN stays.
  void apply(T* planes, std::int64_t steps);

 private:
  struct Fields;
  diffusion::Problem p_;
  std::unique_ptr<Fields> fields_;
};

/// Statistics of one plane with missing points.
struct ValidSums {
  std::int64_t valid = 0, places = 0;  ///< number of valid points, and a checksum of their positions
  double sum = 0;
  double spread = 0;  ///< root of the sum of squared distances from the mean
  double least = 0, most = 0;
};

template <class T>
ValidSums valid_sums(const diffusion::Problem& problem, const T* plane, int threads);

/// The reason why 'out' cannot be the filtered 'in': a point appeared or vanished, the sum over valid points
/// changed, their spread about the mean grew, or a value is farther from the mean than the spread allows.
/// nullopt if it can be. Throws runtime::UsageError if values overflow. where: file and plane.
std::optional<std::string> wrong(const diffusion::Problem& problem, const ValidSums& in, const ValidSums& out,
                                 const std::string& where);

/// One plane's filtered result in double, step by step, as an independent check.
template <class T>
std::vector<double> masked_solution(const diffusion::Problem& problem, const T* plane);

}  // namespace parity::filter

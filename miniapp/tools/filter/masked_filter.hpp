// SPDX-License-Identifier: BSD-3-Clause
// The filter on planes with missing points (NaN): neighbours that are missing are left out of both Laplacian
// sums, so that their weights sum to one again. Nothing flows into a gap. Farther than two points a step from
// all gaps it is the plain filter.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/problem.hpp"

namespace parity::filter {

/// Computes where Kokkos computes.
template <class T>
class MaskedFilter {
 public:
  /// Of the problem, all but steps.
  explicit MaskedFilter(const diffusion::Problem& problem);
  ~MaskedFilter();
  /// Planes (nz, ny, nx) in place; NaN stays.
  void apply(T* planes, std::int64_t steps);

 private:
  struct Fields;
  diffusion::Problem p_;
  std::unique_ptr<Fields> fields_;
};

/// Of one plane with missing points.
struct ValidSums {
  std::int64_t valid = 0, places = 0;  ///< how many, and a sum that changes when one moves
  double sum = 0;
  double spread = 0;  ///< the root of the sum of the squares of their distances from the mean
  double least = 0, most = 0;
};

template <class T>
ValidSums valid_sums(const diffusion::Problem& problem, const T* plane, int threads);

/// Why 'out' cannot be what the filter makes of 'in': a point appeared or vanished, the sum over valid points
/// changed, the spread about their mean grew, or a value is farther from the mean than that spread allows.
/// nullopt where it can be. Throws runtime::UsageError where values overflow; where: file and plane.
std::optional<std::string> wrong(const diffusion::Problem& problem, const ValidSums& in, const ValidSums& out,
                                 const std::string& where);

/// One plane's result in double, step by step, as an independent check.
template <class T>
std::vector<double> masked_solution(const diffusion::Problem& problem, const T* plane);

}  // namespace parity::filter

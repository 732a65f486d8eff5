// SPDX-License-Identifier: BSD-3-Clause
// What every filtered plane is held against, at the cost of reading it once. The filter A is symmetric and
// keeps a plane's mean, so that for a result y of a plane x
//   finite     y is finite where x is and nothing overflows;
//   sum        sum(y) = sum(x);
//   bounds     |y - c| <= H max|x - c| with c the middle of x's range and H the sum of |A's impulse
//   response|; projection r.y = (A r).x for r of random signs (Freivalds, 1977): A r is computed once, from
//   Fourier modes.
// If no value of y is off by more than the tolerance t, then r.(y - Ax) is beyond 8 sqrt(n) t with a
// probability below 1e-13 (Hoeffding). A plane whose root mean square error exceeds some ten t is caught
// almost surely.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/reference.hpp"

namespace parity::filter {

/// Of one plane.
struct PlaneSums {
  double sum = 0, projection = 0;
  double least = 0, most = 0;
  bool finite = true;
};

/// What rounding is relative to: below the smallest normal number values lie as far apart as there.
template <class T>
double at_least_normal(double largest) {
  return std::max(largest, double(std::numeric_limits<T>::min()));
}

/// Throws runtime::UsageError where values up to 'scale' can overflow the filter. where: file and plane.
void refuse_overflow(runtime::Precision precision, double scale, const std::string& where);

template <class T>
class PlaneCheck {
 public:
  /// threads: of each call.
  PlaneCheck(const diffusion::Problem& problem, const diffusion::FourierFilter& exact, int threads);

  PlaneSums input(const T* plane) const;
  PlaneSums output(const T* plane) const;
  /// Why 'out' is not what the filter makes of 'in'; nullopt where it may be. Throws runtime::UsageError
  /// where the input's values are so large that the filter overflows. where: file and plane, for that
  /// message.
  std::optional<std::string> wrong(const PlaneSums& in, const PlaneSums& out, const std::string& where) const;

 private:
  template <class Weight>
  PlaneSums sums(const T* plane, const Weight* weights) const;

  std::int64_t nx_, ny_;
  double tolerance_, gain_ = 0;  ///< H
  int threads_;
  std::vector<std::int8_t> signs_;
  std::vector<T> image_;  ///< A r
};

}  // namespace parity::filter

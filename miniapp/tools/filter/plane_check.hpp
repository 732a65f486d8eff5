// SPDX-License-Identifier: BSD-3-Clause
// The check of every filtered plane, at the cost of reading it once. The filter A is symmetric and preserves
// a plane's mean, so for a result y of a plane x
//   finite     y is finite where x is and nothing overflows;
//   sum        sum(y) = sum(x);
//   bounds     |y - c| <= H max|x - c|, c is the middle of x's range, H the sum of |A's impulse response|;
//   projection r.y = (A r).x for random signs r (Freivalds, 1977); A r is computed once, by Fourier modes.
// If no value of y is off by more than the tolerance t, then r.(y - Ax) exceeds 8 sqrt(n) t with a
// probability below 1e-13 (Hoeffding). A plane whose root mean square error exceeds about ten t is almost
// surely detected. Signs repeat from tile to tile, each tile's multiplied by a random sign: an error that
// repeats with the tiles can cancel, and only windows detect it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/decomposition.hpp"
#include "diffusion/reference.hpp"

namespace parity::filter {

/// Region for checks: the whole plane if it has at most edge x edge points, else tiles. A tile filtered as a
/// periodic plane of its own gives the plane's result except in a margin along its border.
struct Tile {
  Tile(const diffusion::Problem& plane, std::int64_t edge);
  /// Position of the plane's origin in the grid of tiles.
  std::int64_t shift_x() const { return problem.nx < plane_nx ? problem.nx / 2 : 0; }
  std::int64_t shift_y() const { return problem.ny < plane_ny ? problem.ny / 2 : 0; }
  bool whole() const { return problem.nx == plane_nx && problem.ny == plane_ny; }
  bool in_margin(std::int64_t j, std::int64_t i) const {
    return j < margin_y || j >= problem.ny - margin_y || i < margin_x || i >= problem.nx - margin_x;
  }
  /// Regions that are compared point by point: the plane, or windows of the tile's size over the plane's
  /// corner, over all seams between ranks that share it, and in between.
  std::vector<diffusion::Region> windows(std::int64_t ranks) const;
  /// A window's points; it wraps around at the plane's edges.
  template <class T>
  std::vector<T> cut(const T* plane, const diffusion::Region& window) const;

  diffusion::Problem problem;
  std::int64_t plane_nx, plane_ny, margin_x, margin_y;
};

/// The largest error of a result inside the margins, relative to 'scale'. gaps: the plane has missing points,
/// at unchanged positions. room: for planes without gaps.
template <class T>
double error_of(const Tile& tile, const diffusion::FourierFilter& exact,
                const diffusion::FourierFilter::Room* room, bool gaps, const std::vector<T>& input,
                const std::vector<T>& result, double scale);

/// Sums over one plane.
struct PlaneSums {
  double sum = 0, projection = 0;
  double least = 0, most = 0;
  bool finite = true;
};

/// Reference magnitude of rounding: below the smallest normal number the spacing of values is constant.
template <class T>
double at_least_normal(double largest) {
  return std::max(largest, double(std::numeric_limits<T>::min()));
}

/// Throws runtime::UsageError if values up to 'scale' can overflow the filter. where: file and plane.
void refuse_overflow(runtime::Precision precision, double scale, const std::string& where);

template <class T>
class PlaneCheck {
 public:
  /// exact: the filter of the tile. threads: for each call.
  PlaneCheck(const Tile& tile, const diffusion::FourierFilter& exact, int threads);

  PlaneSums input(const T* plane) const;
  PlaneSums output(const T* plane) const;
  /// The reason why 'out' is not the filtered 'in'; nullopt if it may be. Throws runtime::UsageError if the
  /// input's values are so large that the filter overflows. where: file and plane, for that message.
  std::optional<std::string> wrong(const PlaneSums& in, const PlaneSums& out, const std::string& where) const;

 private:
  template <class Weight>
  PlaneSums sums(const T* plane, const Weight* weights) const;

  const Tile tile_;
  double tolerance_, gain_ = 0;  ///< H
  double weighted_ = 0;          ///< number of points with a sign
  int threads_;
  std::vector<std::int8_t> signs_;
  std::vector<T> image_;  ///< A r
};

}  // namespace parity::filter

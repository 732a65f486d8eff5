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
// almost surely. Signs repeat from tile to tile, each tile's
// times a sign of its own: an error that repeats with the tiles can cancel, and only windows show it.
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

/// What planes are checked by: their whole if they have at most edge x edge points, else tiles. Filtered as a
/// periodic plane of its own, a tile becomes what it becomes in the plane, except for a margin at its border.
struct Tile {
  Tile(const diffusion::Problem& plane, std::int64_t edge);
  /// Where the plane begins in the grid of tiles.
  std::int64_t shift_x() const { return problem.nx < plane_nx ? problem.nx / 2 : 0; }
  std::int64_t shift_y() const { return problem.ny < plane_ny ? problem.ny / 2 : 0; }
  bool whole() const { return problem.nx == plane_nx && problem.ny == plane_ny; }
  bool in_margin(std::int64_t j, std::int64_t i) const {
    return j < margin_y || j >= problem.ny - margin_y || i < margin_x || i >= problem.nx - margin_x;
  }
  /// What is compared point by point: the plane, or windows of this size over the plane's corner, over all
  /// seams between ranks that share it, and between them.
  std::vector<diffusion::Region> windows(std::int64_t ranks) const;
  /// A window's points; it goes on at the plane's other edge.
  template <class T>
  std::vector<T> cut(const T* plane, const diffusion::Region& window) const;

  diffusion::Problem problem;
  std::int64_t plane_nx, plane_ny, margin_x, margin_y;
};

/// The largest error of a result inside the margins, over 'scale'. gaps: around missing points, which are
/// where they were. room: for planes without gaps.
template <class T>
double error_of(const Tile& tile, const diffusion::FourierFilter& exact,
                const diffusion::FourierFilter::Room* room, bool gaps, const std::vector<T>& input,
                const std::vector<T>& result, double scale);

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
  /// exact: of the tile. threads: of each call.
  PlaneCheck(const Tile& tile, const diffusion::FourierFilter& exact, int threads);

  PlaneSums input(const T* plane) const;
  PlaneSums output(const T* plane) const;
  /// Why 'out' is not what the filter makes of 'in'; nullopt where it may be. Throws runtime::UsageError
  /// where the input's values are so large that the filter overflows. where: file and plane, for that
  /// message.
  std::optional<std::string> wrong(const PlaneSums& in, const PlaneSums& out, const std::string& where) const;

 private:
  template <class Weight>
  PlaneSums sums(const T* plane, const Weight* weights) const;

  const Tile tile_;
  double tolerance_, gain_ = 0;  ///< H
  double weighted_ = 0;          ///< points with a sign
  int threads_;
  std::vector<std::int8_t> signs_;
  std::vector<T> image_;  ///< A r
};

}  // namespace parity::filter

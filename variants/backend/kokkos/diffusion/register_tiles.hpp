// SPDX-License-Identifier: BSD-3-Clause
// Tiles that flat teams hold in registers: which points a thread may have, and what a team has room for.
#pragma once
#include <tuple>

#include "register_tile.hpp"
#include "runtime/kokkos/scratch.hpp"
#include "team.hpp"

namespace parity::diffusion {

/// Rows x columns of a thread.
template <int r, int c>
struct ThreadPoints {
  static constexpr int rows = r, columns = c;
};
using AllThreadPoints = std::tuple<ThreadPoints<16, 4>, ThreadPoints<8, 4>, ThreadPoints<4, 4>,
                                   ThreadPoints<8, 2>, ThreadPoints<4, 2>, ThreadPoints<4, 1>>;

/// Threads that have registers for so many 32-bit words of points and as much again beside them.
constexpr int most_threads(int words) { return words >= 64 ? 256 : words >= 32 ? 512 : 1024; }
template <class T, int rows, int columns>
using RegisterTeams =
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<most_threads(rows* columns* int(sizeof(T)) / 4), 1>>;

/// Points of a thread, rings of lanes, and lanes of a ring.
struct TileShape {
  int rows, columns, lanes, rings;

  int tile_rows() const { return rows * rings; }
  int tile_columns() const { return columns * lanes; }
  /// Whole warps, since all lanes of a warp shuffle together.
  int threads() const { return (rings * TilePlace::ring_width(lanes) + 31) / 32 * 32; }

  /// Calls f(points) for its points; false if they are not compiled.
  template <class F>
  bool with_points(const F& f) const {
    const auto tried = [&](auto points) {
      if (points.rows != rows || points.columns != columns) return false;
      f(points);
      return true;
    };
    return std::apply([&](auto... points) { return (tried(points) || ...); }, AllThreadPoints());
  }

  /// Bytes of the rows that rings hand on, in one buffer or in two.
  std::int64_t bytes_of_edges(Precision precision, int buffers) const {
    return buffers * std::int64_t(4) * rings * tile_columns() * std::int64_t(runtime::bytes_of(precision)) +
           16;
  }
  bool fits(Precision precision, int buffers) const {
    return scratch_level(bytes_of_edges(precision, buffers)) == 0;
  }

  /// Why no team can have it here; nullopt when one can.
  std::optional<std::string> refuse(Precision precision) const {
    const std::string points = std::to_string(rows) + "x" + std::to_string(columns) + " points";
    int most = 0;
    if (!with_points([&](auto shape) {
          most = most_threads(shape.rows * shape.columns * int(runtime::bytes_of(precision)) / 4);
        }))
      return "a thread with " + points + " is not compiled: take 16x4, 8x4, 4x4, 8x2, 4x2 or 4x1";
    if (lanes > 32)
      return "rows of " + std::to_string(tile_columns()) + " points need more than the 32 lanes of a warp, " +
             std::to_string(columns) + " columns each";
    if (rings > most || threads() > most)
      return "a tile of " + std::to_string(tile_columns()) + "x" +
             std::to_string(std::int64_t(rows) * rings) + " points needs more than the " +
             std::to_string(most) + " threads that have registers for " + points + " each";
    if (!fits(precision, 1)) return "the edges of its rings do not fit Kokkos' scratch memory";
    return std::nullopt;
  }
};

}  // namespace parity::diffusion

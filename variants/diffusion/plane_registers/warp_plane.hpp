// SPDX-License-Identifier: BSD-3-Clause
// A plane in the registers of 32 lanes: rings of lanes wrap in x and y, without memory and without barrier.
#pragma once
#include "diffusion/stencil.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion {

using runtime::WarpLanes;

/// A lane's rows_ x columns_ points of a plane of exactly ny x nx. Lanes: 'lane', the lane's index, and
/// from(value, source), which returns the value of lane 'source'.
template <class T, int rows_, int columns_, int lanes_in_x, class Lanes = WarpLanes>
struct WarpPlane {
  static constexpr int rows = rows_, columns = columns_, lanes_in_y = 32 / lanes_in_x,
                       nx = lanes_in_x * columns, ny = lanes_in_y * rows;

  Lanes lanes;
  int x, y;  ///< coordinates of the lane's first point
  int west, east, south, north;
  T v[rows][columns];

  PARITY_INLINE explicit WarpPlane(const Lanes& l) : lanes(l) {
    const int lane = l.lane, in_x = lane % lanes_in_x, row = lane - in_x;
    x = in_x * columns;
    y = lane / lanes_in_x * rows;
    west = row + (in_x + lanes_in_x - 1) % lanes_in_x;
    east = row + (in_x + 1) % lanes_in_x;
    south = (lane + 32 - lanes_in_x) % 32;
    north = (lane + lanes_in_x) % 32;
  }

  /// Makes one step. deferred: DeferredScale, for alpha = 1/32; the caller calls scale().
  template <bool deferred>
  PARITY_INLINE void step(T alpha) {
    using Step = PairStep<T, deferred>;
    T lap[rows][columns], next[rows][columns];
    neighbours(
        v, [&](int r, int i, T before, T after) { lap[r][i] = Step::laplacian_at(v[r][i], before, after); });
    neighbours(lap, [&](int r, int i, T before, T after) {
      next[r][i] = Step::template update<>(v[r][i], alpha, lap[r][i], before, after);
    });
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) v[r][i] = next[r][i];
    }
  }
  PARITY_INLINE void scale(T factor) {
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) v[r][i] *= factor;
    }
  }

 private:
  /// Short rows of floats add two neighbours in x and two in y: sums by pairs need three fewer, but took
  /// 8 % longer there.
  static constexpr bool by_pairs = sizeof(T) == 8 || columns > 2;

  /// Calls make(row, column, before, after) for every point; before + after sums up its four neighbours.
  template <class Make>
  PARITY_INLINE void neighbours(const T (&a)[rows][columns], const Make& make) const {
    T below[columns], above[columns], left[rows], right[rows];
    PARITY_UNROLL
    for (int i = 0; i < columns; ++i) {
      below[i] = lanes.from(a[rows - 1][i], south);
      above[i] = lanes.from(a[0][i], north);
    }
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      left[r] = lanes.from(a[r][columns - 1], west);
      right[r] = lanes.from(a[r][0], east);
    }
    if constexpr (!by_pairs) {
      PARITY_UNROLL
      for (int r = 0; r < rows; ++r) {
        PARITY_UNROLL
        for (int i = 0; i < columns; ++i)
          make(r, i, (i > 0 ? a[r][i - 1] : left[r]) + (i < columns - 1 ? a[r][i + 1] : right[r]),
               (r > 0 ? a[r - 1][i] : below[i]) + (r < rows - 1 ? a[r + 1][i] : above[i]));
      }
      return;
    }
    // Pair r, i adds row r - 1 at column i and row r at column i - 1. No point uses two of the corners.
    const auto at = [&](int r, int i) -> T {
      return r < 0          ? below[i < 0 ? 0 : i]
             : r == rows    ? above[i < 0 ? 0 : i]
             : i < 0        ? left[r < 0 || r == rows ? 0 : r]
             : i == columns ? right[r < 0 || r == rows ? 0 : r]
                            : a[r < 0 || r == rows ? 0 : r][i < 0 || i == columns ? 0 : i];
    };
    T pair[rows + 1][columns + 1];
    PARITY_UNROLL
    for (int r = 0; r <= rows; ++r) {
      PARITY_UNROLL
      for (int i = 0; i <= columns; ++i)
        if ((r > 0 || i < columns) && (r < rows || i > 0)) pair[r][i] = pair_sum(at(r - 1, i), at(r, i - 1));
    }
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) make(r, i, pair[r][i], pair[r + 1][i + 1]);
    }
  }
};

}  // namespace parity::diffusion

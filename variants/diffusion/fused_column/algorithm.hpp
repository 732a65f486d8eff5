// SPDX-License-Identifier: BSD-3-Clause
// fused_column: a thread updates a column over some rows and keeps in registers the points that the next row
// reads again; indices wrap around, so that there is no halo. Cost: one launch a step; a point is read once,
// if caches work, and written once; 17 flops. First versions load 5 values per point from cache or memory,
// tuned ones about one: they take neighbours in x from registers. Limits: none common to all backends. Error:
// that of the 13-point sum (update_direct in diffusion/stencil.hpp).
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::fused_column {

/// Rows that a thread of a first version updates.
constexpr int rows_of_thread = 8;

/// Registers of a thread of a first version: five points of its column, three of each adjacent column.
template <class T>
struct Window {
  T centre[5], west[3], east[3];
  /// Moves to the next row: 'ahead' is two rows ahead, its neighbours in x are one row ahead.
  PARITY_INLINE void advance(T ahead, T west_ahead, T east_ahead) {
    for (int d = 0; d < 4; ++d) centre[d] = centre[d + 1];
    for (int d = 0; d < 2; ++d) west[d] = west[d + 1], east[d] = east[d + 1];
    centre[4] = ahead;
    west[2] = west_ahead;
    east[2] = east_ahead;
  }
  /// The 13-point step; far_west and far_east are two columns away.
  PARITY_INLINE T updated(T alpha, T far_west, T far_east) const {
    return update_direct<T>(centre[2], alpha, (west[1] + east[1]) + (centre[1] + centre[3]),
                            (west[0] + east[0]) + (west[2] + east[2]),
                            (far_west + far_east) + (centre[0] + centre[4]));
  }
};

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion::fused_column

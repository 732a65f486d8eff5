// SPDX-License-Identifier: BSD-3-Clause
// Steps that follow each other through rows: the arithmetic of every variant that streams down a plane.
#pragma once
#include "diffusion/stencil.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion {

/// The registers of a lane with P columns whose warp does S steps of each row that comes by. Step s of a row
/// can be finished two rows later than step s - 1. All indices are constants after unrolling: what arrives
/// overwrites the oldest row, so that no value moves from register to register; 'newest' is where.
/// The first and last 2 S columns of the warp, and the first 4 S rows that come out, are not right.
/// deferred: DeferredScale, for alpha = 1/32; who takes the finished rows applies the factor.
template <class T, int P, int S, bool deferred>
struct LanePipeline {
  using Scaled = DeferredScale<T>;
  static constexpr int held = 2 * S + 1;  ///< rows, and the period of 'newest'
  T phi[held][P];                         ///< of step s: the rows 2 s to 2 s + 2 after the newest
  T pair[S][P], lap[S][P], lap_pair[S][P];

  PARITY_INLINE void clear() {
    PARITY_UNROLL
    for (int i = 0; i < P; ++i) {
      PARITY_UNROLL
      for (int h = 0; h < held; ++h) phi[h][i] = T(0);
      PARITY_UNROLL
      for (int s = 0; s < S; ++s) pair[s][i] = lap[s][i] = lap_pair[s][i] = T(0);
    }
  }
  /// Where the u-th row of a period goes.
  static PARITY_INLINE constexpr int newest_of(int u) { return (held - u % held) % held; }
  PARITY_INLINE T (&arriving(int newest))[P] { return phi[newest]; }
  PARITY_INLINE T (&finished(int newest))[P] { return phi[(2 * S + newest) % held]; }

  /// Step s of the row that arrived last.
  PARITY_INLINE void step(int s, int newest, T alpha) {
    T *const arriving = phi[(2 * s + newest) % held], *const centre = phi[(2 * s + 1 + newest) % held],
             *const leaving = phi[(2 * s + 2 + newest) % held];
    const T east = runtime::from_lane_above(centre[0]), lap_east = runtime::from_lane_above(lap[s][0]),
            west = runtime::from_lane_below(arriving[P - 1]);
    T pair_beyond = pair_sum(arriving[P - 1], east), lap_before = lap_east, lap_west = T(0);
    PARITY_UNROLL
    for (int i = P - 1; i >= 0; --i) {
      const T now = PairStep<T, deferred>::laplacian_at(centre[i], pair[s][i], pair_beyond);
      if (i == P - 1) lap_west = runtime::from_lane_below(now);
      pair_beyond = pair_sum(i > 0 ? arriving[i > 0 ? i - 1 : 0] : west, centre[i]);
      pair[s][i] = pair_beyond;
      const T lap_pair_beyond = pair_sum(now, lap_before);  // of column i + 1
      lap_before = lap[s][i];
      lap[s][i] = now;
      leaving[i] = deferred ? Scaled::update(leaving[i], lap_pair[s][i], lap_pair_beyond)
                            : update_of_lifted(leaving[i], alpha, lap_pair[s][i], lap_pair_beyond);
      if (i < P - 1) lap_pair[s][i < P - 1 ? i + 1 : 0] = lap_pair_beyond;
      if (!deferred) centre[i] = lift(centre[i], alpha, now);
    }
    lap_pair[s][0] = pair_sum(lap_west, lap_before);
  }
};

}  // namespace parity::diffusion

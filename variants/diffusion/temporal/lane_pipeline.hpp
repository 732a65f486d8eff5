// SPDX-License-Identifier: BSD-3-Clause
// Chains steps in time along a stream of rows: the arithmetic of every variant that streams down a plane.
#pragma once
#include "diffusion/stencil.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion {

/// Registers of a lane with P columns, whose warp makes S steps of each row that arrives. Step s of a row can
/// be finished two rows later than step s - 1. All indices are constants after unrolling: an arriving row
/// overwrites the oldest one, at index 'newest', so that no value moves from register to register. The first
/// and last 2 S columns of the warp, and the first 4 S rows that come out, are not valid. deferred:
/// DeferredScale, for alpha = 1/32; the caller applies the factor to finished rows.
template <class T, int P, int S, bool deferred>
struct LanePipeline {
  using Scaled = DeferredScale<T>;
  static constexpr int held = 2 * S + 1;  ///< number of rows, and the period of 'newest'
  T phi[held][P];                         ///< step s uses the rows 2 s to 2 s + 2 after the newest
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
  /// Index of the u-th row of a period.
  static PARITY_INLINE constexpr int newest_of(int u) { return (held - u % held) % held; }
  PARITY_INLINE T (&arriving(int newest))[P] { return phi[newest]; }
  PARITY_INLINE T (&finished(int newest))[P] { return phi[(2 * S + newest) % held]; }

  /// Values that the neighbouring lanes pass to step s before it begins.
  struct Across {
    T east, lap_east, west;
  };
  PARITY_INLINE Across across(int s, int newest) const {
    return {runtime::from_lane_above(phi[(2 * s + 1 + newest) % held][0]),
            runtime::from_lane_above(lap[s][0]),
            runtime::from_lane_below(phi[(2 * s + newest) % held][P - 1])};
  }
  /// A step in progress: begin(), column() from the last column to the first, end().
  struct Sweep {
    T pair_beyond, lap_before, lap_west, west;
  };
  PARITY_INLINE Sweep begin(int s, int newest, const Across& from) const {
    return {pair_sum(phi[(2 * s + newest) % held][P - 1], from.east), from.lap_east, T(0), from.west};
  }
  PARITY_INLINE void column(int s, int newest, T alpha, int i, Sweep& w) {
    T *const arriving = phi[(2 * s + newest) % held], *const centre = phi[(2 * s + 1 + newest) % held],
             *const leaving = phi[(2 * s + 2 + newest) % held];
    const T now = PairStep<T, deferred>::laplacian_at(centre[i], pair[s][i], w.pair_beyond);
    if (i == P - 1) w.lap_west = runtime::from_lane_below(now);
    w.pair_beyond = pair_sum(i > 0 ? arriving[i > 0 ? i - 1 : 0] : w.west, centre[i]);
    pair[s][i] = w.pair_beyond;
    const T lap_pair_beyond = pair_sum(now, w.lap_before);  // for column i + 1
    w.lap_before = lap[s][i];
    lap[s][i] = now;
    leaving[i] = deferred ? Scaled::update(leaving[i], lap_pair[s][i], lap_pair_beyond)
                          : update_of_lifted(leaving[i], alpha, lap_pair[s][i], lap_pair_beyond);
    if (i < P - 1) lap_pair[s][i < P - 1 ? i + 1 : 0] = lap_pair_beyond;
    if (!deferred) centre[i] = lift(centre[i], alpha, now);
  }
  PARITY_INLINE void end(int s, const Sweep& w) { lap_pair[s][0] = pair_sum(w.lap_west, w.lap_before); }

  /// Makes step s of the row that arrived last.
  PARITY_INLINE void step(int s, int newest, T alpha) {
    Sweep sweep = begin(s, newest, across(s, newest));
    PARITY_UNROLL
    for (int i = P - 1; i >= 0; --i) column(s, newest, alpha, i, sweep);
    end(s, sweep);
  }
};

}  // namespace parity::diffusion

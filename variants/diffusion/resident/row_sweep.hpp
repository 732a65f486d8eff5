// SPDX-License-Identifier: BSD-3-Clause
// resident, Kokkos: one step of a lane's rows in registers, row by row, and memory access to its columns.
#pragma once
#include "diffusion/stencil.hpp"
#include "host_device.hpp"

namespace parity::diffusion::resident {

/// State of the current row, in place: sums of pairs with the row before it, its Laplacian, the Laplacian's
/// sums of pairs. All indices are constants once loops are unrolled. hand: number of the two sums of pairs
/// at a row's end that the next lane provides. left_of, right_of: adjacent lanes' last or first two values.
template <class T, int R, int C, bool deferred, int hand>
struct RowSweep {
  using Step = PairStep<T, deferred>;
  T pair[C], lap[C], lap_pair[C];

  template <class LeftOf>
  PARITY_INLINE RowSweep(const T (&early)[2][C], const LeftOf& left_of) {
    const T left = left_of(early[0][C - 1], early[0][C - 2]);
    PARITY_UNROLL
    for (int i = 0; i < C; ++i) {
      pair[i] = pair_sum(early[1][i], i > 0 ? early[0][i > 0 ? i - 1 : 0] : left);
      lap[i] = lap_pair[i] = T(0);
    }
  }
  /// Computes the Laplacian of row k, from -1 to R; row k - 1 is then final, if it is one of v. early, late:
  /// the rows beyond the first and the last, the nearest first.
  template <class LeftOf, class RightOf>
  PARITY_INLINE void row(int k, const T (&early)[2][C], T (&v)[R][C], const T (&late)[2][C], T alpha,
                         const LeftOf& left_of, const RightOf& right_of) {
    const auto phi = [&](int j, int i) -> T {
      return j < -1  ? early[1][i]
             : j < 0 ? early[0][i]
             : j < R ? v[j < 0 || j >= R ? 0 : j][i]
                     : late[j > R ? 1 : 0][i];
    };
    const T left = left_of(phi(k + 1, C - 1), phi(k + 1, C - 2));
    T pair_before = pair[0], lap_pair_before = lap_pair[0];
    pair[0] = pair_sum(left, phi(k, 0));
    const T last_pair =
        hand > 0 ? right_of(pair[0], pair[0]) : pair_sum(phi(k + 1, C - 1), right_of(phi(k, 0), phi(k, 1)));
    const T first_lap = lap[0], lap_right = k >= 0 && hand < 2 ? right_of(lap[0], lap[1]) : T(0);
    T first_lap_pair = T(0);
    PARITY_UNROLL
    for (int i = 0; i < C; ++i) {
      const int right = i < C - 1 ? i + 1 : 0;
      const T pair_after = right > 0 ? pair_sum(phi(k + 1, i), phi(k, right)) : last_pair;
      const T now = Step::laplacian_at(phi(k, i), pair_before, pair_after);
      pair_before = pair[right];
      if (right > 0) pair[right] = pair_after;
      if (k >= 0) {
        if (right == 0) first_lap_pair = pair_sum(left_of(now, lap[C - 2]), first_lap);
        const T lap_pair_after = right > 0  ? pair_sum(now, lap[right])
                                 : hand > 1 ? right_of(first_lap_pair, first_lap_pair)
                                            : pair_sum(now, lap_right);
        if (k >= 1) {
          T& to = v[k >= 1 ? k - 1 : 0][i];
          to = Step::template update<>(to, alpha, lap[i], lap_pair_before, lap_pair_after);
        }
        lap_pair_before = lap_pair[right];
        if (right > 0) lap_pair[right] = lap_pair_after;
      }
      lap[i] = now;
    }
    lap_pair[0] = first_lap_pair;
  }
  /// Updates the last row without the Laplacian of the row beyond it. lap_right: the Laplacian right of the
  /// lane's last column.
  PARITY_INLINE void without_late(T (&v)[R][C], T alpha, T lap_right) const {
    PARITY_UNROLL
    for (int i = 0; i < C; ++i) {
      const T after = i < C - 1 ? lap[i < C - 1 ? i + 1 : 0] : lap_right;
      v[R - 1][i] = Step::template update<>(v[R - 1][i], alpha, lap[i], lap_pair[i], after);
    }
  }
};

/// Applies the deferred scale to a lane's rows and to those beyond the first.
template <class T, int R, int C>
PARITY_INLINE void scale(T (&v)[R][C], T (&early)[2][C], T factor) {
  PARITY_UNROLL
  for (int i = 0; i < C; ++i) {
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) v[r][i] *= factor;
    early[0][i] *= factor, early[1][i] *= factor;
  }
}

/// stride: elements from one access to the next. In scratch, the accesses of all lanes are adjacent.
template <class T, int C>
struct PackedRow {
  static constexpr int width = C * int(sizeof(T)) < 16 ? C : 16 / int(sizeof(T));  ///< per access
  struct alignas(sizeof(T) * width) Pack {
    T v[width];
  };
  static PARITY_INLINE void read(T (&v)[C], const T* from, int stride) {
    PARITY_UNROLL
    for (int a = 0; a < C / width; ++a) {
      const Pack some = *reinterpret_cast<const Pack*>(from + a * stride);
      PARITY_UNROLL
      for (int e = 0; e < width; ++e) v[a * width + e] = some.v[e];
    }
  }
  static PARITY_INLINE void write(T* to, const T (&v)[C], int stride) {
    PARITY_UNROLL
    for (int a = 0; a < C / width; ++a) {
      Pack some;
      PARITY_UNROLL
      for (int e = 0; e < width; ++e) some.v[e] = v[a * width + e];
      *reinterpret_cast<Pack*>(to + a * stride) = some;
    }
  }
};

}  // namespace parity::diffusion::resident

// SPDX-License-Identifier: BSD-3-Clause
// register_tile: a thread keeps several queries in registers, so that one read of a sample from shared memory
// or scratch serves them all. The special-function unit (float), a table of powers (double), a polynomial on
// the multiply-add units, or both kinds of unit at once compute 2^x. n^2 exponentials, 7 n^2 operations (22
// with polynomials only), two launches: chunks of samples, and their sums. Differences come first, and sums
// of 256 terms are flushed to double. Launch bounds and unrolling were found on an H200
// (variants/ALGORITHMS.md).
#pragma once
#include "kde/refusals.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"

namespace parity::kde::register_tile {

// Tile configurations of a GPU: queries per thread, threads per block, resident blocks per multiprocessor,
// unrolled packs.

/// Computes 2^x on the fastest single unit. Double needs twice the registers.
template <class T, int R>
struct HardwareTile {
  using Term = HardwareTerm<T>;
  static constexpr bool single = sizeof(T) == 4;
  static constexpr int queries = R, threads = single ? 128 : 256;
  static constexpr int blocks = !single ? 1 : R <= 2 ? 12 : 8, unroll = !single ? 4 / R + 1 : R <= 4 ? 16 : 4;
};
/// Computes 'share' of 16 pairs by a polynomial, the others on the special-function unit.
template <int share>
struct MixedTile {
  using Term = MixedTerm<share>;
  static constexpr int queries = 4, threads = 128, blocks = 8, unroll = 8;
};
template <class T>
struct PolynomialTile {
  using Term = PolynomialTerm<T>;
  static constexpr int queries = 4, threads = 128, blocks = sizeof(T) == 4 ? 8 : 4,
                       unroll = sizeof(T) == 4 ? 4 : 1;
};

/// Calls f(tile) with the tile that a tuning names.
template <class T, class F>
auto with_tile(const Tuning& t, const F& f) {
  if (t.values.size() > 1) {
    if constexpr (sizeof(T) == 4) {
      if (t[1] == 2) return f(MixedTile<2>());
      if (t[1] == 3) return f(MixedTile<3>());
      if (t[1] == 4) return f(MixedTile<4>());
    }
    return f(PolynomialTile<T>());
  }
  if (t[0] == 1) return f(HardwareTile<T, 1>());
  if (t[0] == 2) return f(HardwareTile<T, 2>());
  if (t[0] == 4) return f(HardwareTile<T, 4>());
  return f(HardwareTile<T, 8>());
}

/// Entry for a GPU.
inline Entry algorithm() {
  Entry e;
  e.tunings = {"4", "1", "2", "8", "4x2", "4x3", "4x4", "4x16"};
  e.tuning_axes = "queries of a thread: 1, 2, 4 or 8; with 4 also x pairs of 16 on the polynomial";
  e.polynomial_place = 1;
  e.launches = 2;
  e.refuse += refuse_other_tilings;
  return e;
}

}  // namespace parity::kde::register_tile

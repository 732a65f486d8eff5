// SPDX-License-Identifier: BSD-3-Clause
// A column strip: one thread updates a pack of neighbouring columns (16 bytes wide) over several rows and
// keeps its inputs in registers, so that each input is loaded once from memory. All loads of a strip are
// independent and come first: that keeps enough bytes in flight without explicit prefetch.
#pragma once
#include <cstdint>

#include "diffusion/stencil.hpp"

namespace parity::diffusion {

/// Neighbouring columns that one access of 16 bytes moves.
template <class T>
struct alignas(16) Pack {
  static constexpr int width = 16 / int(sizeof(T));
  T v[width];
};

/// The two columns beside a pack.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T v[2];
};

template <class T>
constexpr int pack_width = Pack<T>::width;

/// Packs that cover a row of nx columns; a pitch of this many packs keeps every row aligned.
template <class T>
PARITY_INLINE int packs_in_row(std::int64_t nx) {
  return int((nx + pack_width<T> - 1) / pack_width<T>);
}

/// Rows j0-2 ... j0+rows+1 of a pack and two columns on both sides. All indices must be constants after
/// unrolling.
template <class T, int rows>
struct ColumnStrip {
  static constexpr int width = pack_width<T>;
  T at[rows + 4][width + 4];

  /// The new values of row u of the strip.
  PARITY_INLINE Pack<T> updated(int u, T alpha) const {
    Pack<T> result;
    PARITY_UNROLL
    for (int i = 0; i < width; ++i)
      result.v[i] = update_at<T>(alpha, [&](int dj, int di) { return at[u + 2 + dj][i + 2 + di]; });
    return result;
  }
};

/// Calls f(r, row) for the input rows r = 0 ... rows+3 of a strip that begins at row j0 of ny periodic rows.
template <int rows, class F>
PARITY_INLINE void for_input_rows(int j0, int ny, const F& f) {
  int j = wrap(j0 - 2, ny);
  PARITY_UNROLL
  for (int r = 0; r < rows + 4; ++r) {
    f(r, j);
    j = j + 1 < ny ? j + 1 : 0;
  }
}

/// Updates a strip that holds the packs of all input rows: beside(r) adds the two columns on either side of
/// input row r, store(u, pack) stores the new values of row u. The sides are loaded one row before their use,
/// because loading all at once would cost the registers that keep more strips in flight.
template <class T, int rows, class Beside, class Store>
PARITY_INLINE void update_rows(ColumnStrip<T, rows>& strip, T alpha, const Beside& beside,
                               const Store& store) {
  beside(1);
  beside(2);
  beside(3);
  PARITY_UNROLL
  for (int u = 0; u < rows; ++u) {
    if (u + 1 < rows) beside(u + 4);
    store(u, strip.updated(u, alpha));
  }
}

}  // namespace parity::diffusion

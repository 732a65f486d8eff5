// SPDX-License-Identifier: BSD-3-Clause
// A warp's share of the column kernels on a GPU: 32 neighbouring packs of columns over some rows. The outer
// two lanes only feed their neighbours, so that the columns beside a pack come from a shuffle and every input
// is loaded once.
#pragma once
#include "diffusion/column.hpp"
#include "runtime/fast_divide.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion {

/// Packs that one warp updates.
constexpr int packs_per_warp = 30;

PARITY_INLINE int warps_in_row(int packs) { return (packs + packs_per_warp - 1) / packs_per_warp; }

/// Updates rows [j0, j0 + rows) of the packs [30 warp, 30 warp + 30) of a plane (ny, pitch). All 32 lanes of
/// a warp must call it. whole: nx is a multiple of the pack, so that no pack straddles the periodic seam.
template <int rows, bool whole, class T>
PARITY_INLINE void update_strip(const T* plane, T* result, int nx, int ny, int pitch, int warp, int lane,
                                int j0, T alpha) {
  constexpr int width = pack_width<T>;
  const int packs = packs_in_row<T>(nx), pack = warp * packs_per_warp + lane - 1;
  ColumnStrip<T, rows> strip;
  if constexpr (whole) {
    const int i0 = (pack + packs) % packs * width;
    for_input_rows<rows>(j0, ny, [&](int r, int j) {
      const auto centre = *reinterpret_cast<const Pack<T>*>(plane + std::size_t(j) * pitch + i0);
      PARITY_UNROLL
      for (int i = 0; i < width; ++i) strip.at[r][i + 2] = centre.v[i];
    });
  } else {
    int column[width];
    PARITY_UNROLL
    for (int i = 0; i < width; ++i) column[i] = modulo(pack * width + i, nx);
    for_input_rows<rows>(j0, ny, [&](int r, int j) {
      const T* const row = plane + std::size_t(j) * pitch;
      PARITY_UNROLL
      for (int i = 0; i < width; ++i) strip.at[r][i + 2] = row[column[i]];
    });
  }
  const bool computes = lane > 0 && lane < 31 && pack < packs;
  update_rows(
      strip, alpha,
      [&](int r) {
        PARITY_UNROLL
        for (int i = 0; i < 2; ++i) {
          strip.at[r][i] = runtime::from_lane_below(strip.at[r][width + i]);
          strip.at[r][width + 2 + i] = runtime::from_lane_above(strip.at[r][2 + i]);
        }
      },
      [&](int u, const Pack<T>& values) {
        if (computes && j0 + u < ny)
          *reinterpret_cast<Pack<T>*>(result + std::size_t(j0 + u) * pitch + pack * width) = values;
      });
}

/// The strips of all planes of a field (nz, ny, pitch), which the warps of a grid take in turn. Needs fewer
/// than 2^31 strips.
template <int rows, bool whole, class T>
struct AllStrips {
  int nx, ny, pitch;
  T alpha;
  unsigned strips;
  runtime::FastDivide by_warps, by_chunks;

  static std::int64_t chunks_of(std::int64_t ny) { return (ny + rows - 1) / rows; }
  static std::int64_t count(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    return std::int64_t(warps_in_row(packs_in_row<T>(int(nx)))) * chunks_of(ny) * nz;
  }
  AllStrips(std::int64_t width, std::int64_t height, std::int64_t nz, std::int64_t row, double weight)
      : nx(int(width)),
        ny(int(height)),
        pitch(int(row)),
        alpha(T(weight)),
        strips(unsigned(count(width, height, nz))),
        by_warps(warps_in_row(packs_in_row<T>(nx))),
        by_chunks(chunks_of(height)) {}

  /// One step of the strips first, first + stride, ...; all lanes of a warp must call it.
  PARITY_INLINE void step(const T* in, T* out, unsigned first, unsigned stride, int lane) const {
    for (unsigned n = first; n < strips; n += stride) {
      const unsigned row = by_warps(n), warp = by_warps.remainder(n, row), k = by_chunks(row),
                     chunk = by_chunks.remainder(row, k);
      const std::size_t plane = std::size_t(k) * ny * pitch;
      update_strip<rows, whole>(in + plane, out + plane, nx, ny, pitch, int(warp), lane, int(chunk) * rows,
                                alpha);
    }
  }
};

}  // namespace parity::diffusion

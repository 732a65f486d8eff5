// SPDX-License-Identifier: BSD-3-Clause
// The Laplacian of tiles in a team's shared memory, with the tile's size known to the compiler: what each
// thread loads and, behind a barrier, what it computes. Plain host and device code, so that the index
// arithmetic of a GPU is tested on a host.
#pragma once
#include "diffusion/stencil.hpp"
#include "diffusion/tile_map.hpp"

namespace parity::diffusion {

/// Where the neighbours outside a tile come from.
enum class TileBoundary {
  global,       ///< points at the tile's edge read them from global memory (the original work's Algorithm 2)
  fixed_warps,  ///< the first threads load the ring around the tile besides
  overlapping   ///< tiles overlap by two points; only inner points are computed
};

/// One team's tile of a plane (rows, pitch) without a margin of m points. Tile: threads and rows a thread;
/// the rows of a thread lie a team's height apart.
template <class T, TileBoundary boundary, class Tile>
class SharedTile {
 public:
  using Value = T;
  static constexpr int ring = boundary == TileBoundary::fixed_warps ? 1 : 0,
                       inset = boundary == TileBoundary::overlapping ? 1 : 0, threads = Tile::threads,
                       width = Tile::tile_width, height = Tile::tile_height * Tile::rows,
                       stride = width + 2 * ring, points = stride * (height + 2 * ring);

  SharedTile(const T* from, T* to, std::int64_t pitch, std::int64_t rows, int margin)
      : from_(from),
        to_(to),
        pitch_(int(pitch)),
        rows_(int(rows)),
        margin_(margin),
        by_row_(across(pitch, margin)),
        by_plane_(across(pitch, margin) * down(rows, margin)) {}
  static std::int64_t teams(std::int64_t nz, std::int64_t pitch, std::int64_t rows, int margin) {
    return nz * across(pitch, margin) * down(rows, margin);
  }

  /// What a thread works on. Its own first point is found once, as pointers: what an offset of the whole tile
  /// is needed for again, nvcc computes again, and a team's scratch memory takes thirty instructions to find.
  class Share {
   public:
    /// tile: of 'points' values, shared by the team.
    PARITY_INLINE Share(const SharedTile& s, T* tile, int team, int thread)
        : pitch_(s.pitch_),
          thread_(thread),
          x_(int(unsigned(thread) % width)),
          y_(int(unsigned(thread) / width)) {
      const unsigned k = s.by_plane_(unsigned(team)), n = s.by_plane_.remainder(unsigned(team), k),
                     by = s.by_row_(n), bx = s.by_row_.remainder(n, by);
      // The first loaded point without the ring, in padded coordinates.
      const int i0 = int(bx) * (width - 2 * inset) + s.margin_ - inset,
                j0 = int(by) * (height - 2 * inset) + s.margin_ - inset;
      const int left_x = s.pitch_ - s.margin_ + inset - i0, left_y = s.rows_ - s.margin_ + inset - j0;
      loaded_x_ = left_x < width ? left_x : width;
      loaded_y_ = left_y < height ? left_y : height;
      const std::size_t first = std::size_t(k) * (unsigned(s.rows_) * unsigned(s.pitch_)) +
                                unsigned(j0 + y_) * unsigned(s.pitch_) + unsigned(i0 + x_);
      from_ = s.from_ + first;
      to_ = s.to_ + first;
      own_ = tile + (ring + y_) * stride + ring + x_;
    }

    /// Every value is asked for before the first is waited for.
    PARITY_INLINE void load() const {
      T values[Tile::rows] = {};
      PARITY_UNROLL
      for (int u = 0; u < Tile::rows; ++u)
        if (loads(u)) values[u] = from_[u * rows_apart()];
      if constexpr (ring == 1) load_ring();
      PARITY_UNROLL
      for (int u = 0; u < Tile::rows; ++u)
        if (loads(u)) own_[u * tile_apart] = values[u];
    }
    /// After every thread has loaded.
    PARITY_INLINE void compute() const {
      if (x_ < inset || x_ >= loaded_x_ - inset) return;
      PARITY_UNROLL
      for (int u = 0; u < Tile::rows; ++u)
        if (const int r = row(u); r >= inset && r < loaded_y_ - inset) compute_point(u);
    }

   private:
    static constexpr int tile_apart = Tile::tile_height * stride;  ///< from row to row of a thread
    PARITY_INLINE std::ptrdiff_t rows_apart() const { return std::ptrdiff_t(Tile::tile_height) * pitch_; }
    PARITY_INLINE int row(int u) const { return u * Tile::tile_height + y_; }
    PARITY_INLINE bool loads(int u) const { return x_ < loaded_x_ && row(u) < loaded_y_; }
    /// Threads in launch order, whole warps in front, load a point of the ring each: both rows, both columns.
    PARITY_INLINE void load_ring() const {
      constexpr int cells = 2 * (width + height);
      PARITY_UNROLL
      for (int first = 0; first < cells; first += threads) {
        const int n = first + thread_;
        if (n >= cells) return;
        const bool along_x = n < 2 * width;
        const int at = along_x ? n % width : (n - 2 * width) % height,
                  side = along_x ? n / width : (n - 2 * width) / height;
        const int r = along_x ? (side == 0 ? -1 : loaded_y_) : at,
                  c = along_x ? at : (side == 0 ? -1 : loaded_x_);
        if (along_x ? at < loaded_x_ : at < loaded_y_)
          own_[(r - y_) * stride + c - x_] = from_[std::ptrdiff_t(r - y_) * pitch_ + (c - x_)];
      }
    }
    PARITY_INLINE void compute_point(int u) const {
      const T* const s = own_ + u * tile_apart;
      const T* const f = from_ + u * rows_apart();
      T* const result = to_ + u * rows_apart();
      const bool west = x_ > 0, east = x_ + 1 < loaded_x_, south = row(u) > 0, north = row(u) + 1 < loaded_y_;
      if (boundary != TileBoundary::global || (west && east && south && north))
        *result = laplacian(s[0], s[-1], s[1], s[-stride], s[stride]);
      else
        *result = laplacian(s[0], west ? s[-1] : f[-1], east ? s[1] : f[1], south ? s[-stride] : f[-pitch_],
                            north ? s[stride] : f[pitch_]);
    }

    const T* from_;
    T *to_, *own_;
    int pitch_, thread_, x_, y_, loaded_x_, loaded_y_;
  };

 private:
  static std::int64_t across(std::int64_t pitch, int margin) {
    return ceil_divide(pitch - 2 * margin, width - 2 * inset);
  }
  static std::int64_t down(std::int64_t rows, int margin) {
    return ceil_divide(rows - 2 * margin, height - 2 * inset);
  }

  const T* from_;
  T* to_;
  int pitch_, rows_, margin_;
  runtime::FastDivide by_row_, by_plane_;
};

}  // namespace parity::diffusion

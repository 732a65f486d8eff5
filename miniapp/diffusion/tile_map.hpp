// SPDX-License-Identifier: BSD-3-Clause
// Which points the threads of flat teams compute: index maps without a run-time division, and the order in
// which a thread takes its rows. Plain host and device code, so that the maps of a GPU are tested on a host.
//
// A kernel over them is a set of points:
//   using Value = T;                   what a point holds
//   Line line(int k, int j) const;     row j of plane k, with
//     Value value(I i) const           the new value of its point i
//     void store(I i, Value) const     puts it there
//   static constexpr int seam;         columns at either end of a row whose neighbours lie at the other; if
//                                      there are any, line.inner(i) is the value between them
#pragma once
#include "diffusion/row_groups.hpp"
#include "diffusion/tile_configs.hpp"

namespace parity::diffusion {

/// What a kernel covers: 'height' rows of 'width' points on each of nz planes.
struct Extent {
  std::int64_t nz, height, width;
};

/// Rows j0 ... j0+rows-1 of one column, as far as there are rows. All values come before the first store:
/// what neighbouring rows have in common is then loaded once, and the loads overlap.
template <int rows, class Points>
PARITY_INLINE void compute_rows(const Points& points, int k, int j0, int i, int height) {
  if (j0 + rows <= height) {
    typename Points::Value values[rows];
    PARITY_UNROLL
    for (int u = 0; u < rows; ++u) values[u] = points.line(k, j0 + u).value(i);
    PARITY_UNROLL
    for (int u = 0; u < rows; ++u) points.line(k, j0 + u).store(i, values[u]);
    return;
  }
  PARITY_UNROLL_BY(1)
  for (int j = j0; j < height; ++j) {
    const auto line = points.line(k, j);
    line.store(i, line.value(i));
  }
}

/// A team a tile: along x, then along y, then through the planes. Needs fewer than 2^31 teams.
template <class Tile>
class TileMap {
 public:
  static constexpr int threads = Tile::threads, rows = Tile::rows, least = Tile::least;
  explicit TileMap(const Extent& e)
      : height_(int(e.height)), width_(int(e.width)), by_row_(across(e)), by_plane_(across(e) * down(e)) {}
  static std::int64_t teams(const Extent& e) { return across(e) * down(e) * e.nz; }

  template <class Points>
  PARITY_INLINE void compute(const Points& points, int team, int thread) const {
    const unsigned k = by_plane_(unsigned(team)), tile = by_plane_.remainder(unsigned(team), k),
                   down = by_row_(tile), across = by_row_.remainder(tile, down);
    const unsigned t = unsigned(thread), i = across * Tile::tile_width + t % Tile::tile_width,
                   j = (down * Tile::tile_height + t / Tile::tile_width) * rows;
    if (int(i) < width_) compute_rows<rows>(points, int(k), int(j), int(i), height_);
  }

 private:
  static std::int64_t across(const Extent& e) { return ceil_divide(e.width, Tile::tile_width); }
  static std::int64_t down(const Extent& e) { return ceil_divide(e.height, Tile::tile_height * rows); }

  int height_, width_;
  runtime::FastDivide by_row_, by_plane_;
};

/// Teams over a flat range: columns first, then chunks of 'rows' rows, then planes. Needs fewer than 2^31
/// threads.
template <int rows_, int threads_ = 256>
class FlatMap {
 public:
  static constexpr int threads = threads_, rows = rows_, least = -1;
  explicit FlatMap(const Extent& e)
      : height_(int(e.height)), nz_(unsigned(e.nz)), by_width_(e.width), by_chunks_(chunks(e)) {}
  static std::int64_t teams(const Extent& e) { return ceil_divide(chunks(e) * e.width * e.nz, threads); }

  template <class Points>
  PARITY_INLINE void compute(const Points& points, int team, int thread) const {
    const unsigned n = unsigned(team) * threads + unsigned(thread), line = by_width_(n), k = by_chunks_(line);
    if (k < nz_)
      compute_rows<rows>(points, int(k), int(by_chunks_.remainder(line, k)) * rows,
                         int(by_width_.remainder(n, line)), height_);
  }

 private:
  static std::int64_t chunks(const Extent& e) { return ceil_divide(e.height, rows); }

  int height_;
  unsigned nz_;
  runtime::FastDivide by_width_, by_chunks_;
};

/// Teams over one line, each with 'elements' neighbours of every thread a team's width apart: every access of
/// a warp is to neighbours, however the line is aligned.
template <int elements_, int threads_ = 256>
class LineMap {
 public:
  static constexpr int threads = threads_, elements = elements_, least = -1;
  explicit LineMap(std::int64_t size) : size_(size) {}
  static std::int64_t teams(std::int64_t size) { return ceil_divide(size, threads * elements); }

  template <class Line>
  PARITY_INLINE void compute(const Line& line, int team, int thread) const {
    const std::int64_t first = std::int64_t(team) * (threads * elements) + thread;
    if constexpr (elements == 1) {
      // Without a loop that never runs: one makes nvcc 12.4 compile a scaled copy for minutes.
      if (first < size_) line.store(first, line.value(first));
    } else if (first + (elements - 1) * threads < size_) {
      typename Line::Value values[elements];
      PARITY_UNROLL
      for (int u = 0; u < elements; ++u) values[u] = line.value(first + u * threads);
      PARITY_UNROLL
      for (int u = 0; u < elements; ++u) line.store(first + u * threads, values[u]);
    } else {
      PARITY_UNROLL_BY(1)
      for (std::int64_t n = first; n < size_; n += threads) line.store(n, line.value(n));
    }
  }

 private:
  std::int64_t size_;
};

}  // namespace parity::diffusion

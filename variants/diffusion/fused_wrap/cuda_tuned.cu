// SPDX-License-Identifier: BSD-3-Clause
// fused_wrap, CUDA, tuned: a flat grid of blocks updates tiles of compile-time size, several rows per thread;
// the host prepares the divisions.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/tuned.cuh"

namespace parity::diffusion::fused_wrap {
namespace {

using namespace parity::cuda;

template <class Tile, class T>
__global__ void __launch_bounds__(Tile::threads, Tile::template least_teams<T>())
    fused_wrap_tuned_step(const T* in, T* out, int nx, int ny, int pitch, T alpha, FastDivide by_row,
                          FastDivide by_plane) {
  const unsigned team = blockIdx.x, thread = threadIdx.x;
  const unsigned k = by_plane(team), tile = by_plane.remainder(team, k), row = by_row(tile);
  const int i = int(by_row.remainder(tile, row) * Tile::tile_width + thread % Tile::tile_width);
  int j = int((row * Tile::tile_height + thread / Tile::tile_width) * Tile::rows);
  if (i >= nx) return;
  const std::size_t plane = std::size_t(k) * (unsigned(ny) * unsigned(pitch));
  T* const to = out + plane + i;
  const auto rows = [&](int j) { return WrappedRows<T>(in + plane, j, ny, pitch); };
  const auto wrapped = [&](int j) { return update_at(alpha, WrappedNeighbours<T>(rows(j), i, nx)); };
  const auto advance = [&](const auto& value) {
    // Compute all values before the first store: rows then share loads, and loads overlap.
    T values[Tile::rows];
    PARITY_UNROLL
    for (int u = 0; u < Tile::rows; ++u) values[u] = value(j + u);
    PARITY_UNROLL
    for (int u = 0; u < Tile::rows; ++u) to[unsigned(j + u) * unsigned(pitch)] = values[u];
  };
  // Wrapping columns would be most of a step's instructions. All lanes of a warp take the same branch.
  const int first = i & -32;
  if (j + Tile::rows > ny) {
    PARITY_UNROLL_BY(1)
    for (; j < ny; ++j) to[unsigned(j) * unsigned(pitch)] = wrapped(j);
  } else if (first >= 2 && first + 34 <= nx) {
    advance([&](int j) { return update_at(alpha, RowNeighbours<T>{rows(j), i}); });
  } else {
    advance(wrapped);
  }
}

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny);
    TileConfigs::dispatch(tuning, [&](auto form) {
      using Tile = decltype(form);
      const std::int64_t across = ceil_divide(nx, Tile::tile_width),
                         down = ceil_divide(ny, Tile::tile_height * Tile::rows);
      fused_wrap_tuned_step<Tile><<<unsigned(across * down * p.nz), Tile::threads, 0, stream>>>(
          in.data, out.data, nx, ny, in.pitch, alpha, FastDivide(across), FastDivide(across * down));
    });
  }
};

}  // namespace

Entry cuda_tuned() { return with_steps<Periodic, Step>(with_tiles(algorithm())); }

}  // namespace parity::diffusion::fused_wrap

// SPDX-License-Identifier: BSD-3-Clause
// fused, CUDA, tuned: a flat grid of blocks updates tiles of compile-time size, several rows per thread; the
// host prepares the divisions.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/tuned.cuh"

namespace parity::diffusion::fused {
namespace {

using namespace parity::cuda;

template <class Tile, class T>
__global__ void __launch_bounds__(Tile::threads, Tile::template least_teams<T>())
    fused_tuned_step(Field<const T> in, T* out, int nx, int ny, T alpha, FastDivide by_row,
                     FastDivide by_plane) {
  const unsigned team = blockIdx.x, thread = threadIdx.x;
  const unsigned k = by_plane(team), tile = by_plane.remainder(team, k), row = by_row(tile);
  const int i = int(by_row.remainder(tile, row) * Tile::tile_width + thread % Tile::tile_width);
  int j = int((row * Tile::tile_height + thread / Tile::tile_width) * Tile::rows);
  if (i >= nx) return;
  if (j + Tile::rows <= ny) {
    // Compute all values before the first store: rows then share loads, and loads overlap.
    T values[Tile::rows];
    PARITY_UNROLL
    for (int u = 0; u < Tile::rows; ++u) values[u] = update_at(alpha, in.around(k, j + u, i));
    PARITY_UNROLL
    for (int u = 0; u < Tile::rows; ++u) out[in.offset(k, j + u) + i] = values[u];
  } else {
    PARITY_UNROLL_BY(1)
    for (; j < ny; ++j) out[in.offset(k, j) + i] = update_at(alpha, in.around(k, j, i));
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
      fused_tuned_step<Tile><<<unsigned(across * down * p.nz), Tile::threads, 0, stream>>>(
          in, out.data, nx, ny, alpha, FastDivide(across), FastDivide(across * down));
    });
  }
};

}  // namespace

Entry cuda_tuned() { return with_steps<HaloBefore, Step>(with_tiles(algorithm())); }

}  // namespace parity::diffusion::fused

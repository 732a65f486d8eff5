// SPDX-License-Identifier: BSD-3-Clause
// shared_memory, CUDA, tuned: a flat grid of blocks computes tiles of compile-time size, several rows per
// thread; points at a tile's edge read their outer neighbours from global memory.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion::shared_memory {
namespace {

using namespace parity::cuda;

/// One block per tile: along x, then along y, then through the planes. A thread's rows lie a block's height
/// apart.
template <class Tile, class T>
__global__ void __launch_bounds__(Tile::threads, Tile::least)
    laplacian_shared_memory_tuned(Field<const T> from, Field<T> to, int rows, int columns, FastDivide by_row,
                                  FastDivide by_plane) {
  constexpr int width = Tile::tile_width, height = Tile::tile_height * Tile::rows, stride = width;
  __shared__ T tile[height * stride];
  const unsigned rank = blockIdx.x, thread = threadIdx.x;
  const unsigned k = by_plane(rank), n = by_plane.remainder(rank, k), down = by_row(n);
  const int ty = int(thread / width), tx = int(thread % width);
  // The tile's first point and its size, cut at the end of the domain.
  const int j0 = int(down) * height, i0 = int(by_row.remainder(n, down)) * width;
  const int ny = rows - j0 < height ? rows - j0 : height, nx = columns - i0 < width ? columns - i0 : width;
  const std::size_t first = from.offset(int(k), j0 + ty) + std::ptrdiff_t(i0 + tx);
  const T* const f = from.data + first;
  T *const t = to.data + first, *const own = tile + ty * stride + tx;
  const int pitch = from.pitch;
  const std::ptrdiff_t apart = std::ptrdiff_t(Tile::tile_height) * pitch;  // between a thread's rows
  // Issue all loads before waiting for the first.
  T values[Tile::rows] = {};
  PARITY_UNROLL
  for (int u = 0; u < Tile::rows; ++u)
    if (tx < nx && u * Tile::tile_height + ty < ny) values[u] = f[u * apart];
  PARITY_UNROLL
  for (int u = 0; u < Tile::rows; ++u)
    if (tx < nx && u * Tile::tile_height + ty < ny) own[u * Tile::tile_height * stride] = values[u];
  __syncthreads();
  if (tx >= nx) return;
  PARITY_UNROLL
  for (int u = 0; u < Tile::rows; ++u) {
    const int r = u * Tile::tile_height + ty;
    if (r >= ny) continue;
    const T *const s = own + u * Tile::tile_height * stride, *const g = f + u * apart;
    const bool west = tx > 0, east = tx + 1 < nx, south = r > 0, north = r + 1 < ny;
    T value;  // shared by both branches, so that a row is stored at once
    if (west && east && south && north)
      value = laplacian_at(s[0], s[-1], s[1], s[-stride], s[stride]);
    else
      value = laplacian_at(s[0], west ? s[-1] : g[-1], east ? s[1] : g[1], south ? s[-stride] : g[-pitch],
                           north ? s[stride] : g[pitch]);
    t[u * apart] = value;
  }
}

struct SharedMemory : TunedElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from, Field<T> to) {
    const int rows = from.rows - 2 * from.margin, columns = from.pitch - 2 * from.margin;
    SharedTileConfigs::dispatch(tuning, [&](auto config) {
      using Tile = decltype(config);
      const std::int64_t across = ceil_divide(columns, Tile::tile_width),
                         tiles = across * ceil_divide(rows, Tile::tile_height * Tile::rows);
      laplacian_shared_memory_tuned<Tile><<<unsigned(tiles * f.p.nz), Tile::threads, 0, f.stream>>>(
          from, to, rows, columns, FastDivide(across), FastDivide(tiles));
    });
  }
};

}  // namespace

Entry cuda_tuned() {
  return with_steps<TwoStage, SharedMemory>(with_configs<SharedTileConfigs>(algorithm(), tile_axes));
}

}  // namespace parity::diffusion::shared_memory

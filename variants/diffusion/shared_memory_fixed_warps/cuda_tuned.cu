// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_fixed_warps, CUDA, tuned: a flat grid over tiles that the compiler knows, several rows a
// thread; the first threads load the ring around a tile.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

/// A block a tile: along x, then along y, then through the planes; the rows of a thread lie a block's height
/// apart.
template <class Tile, class T>
__global__ void __launch_bounds__(Tile::threads, Tile::least)
    laplacian_kernel(Field<const T> from, Field<T> to, int rows, int columns, FastDivide by_row,
                     FastDivide by_plane) {
  constexpr int width = Tile::tile_width, height = Tile::tile_height * Tile::rows, stride = width + 2;
  __shared__ T tile[(height + 2) * stride];
  const unsigned rank = blockIdx.x, thread = threadIdx.x;
  const unsigned k = by_plane(rank), n = by_plane.remainder(rank, k), down = by_row(n);
  const int ty = int(thread / width), tx = int(thread % width);
  // The tile's first point inside the ring and the points that it has.
  const int j0 = int(down) * height, i0 = int(by_row.remainder(n, down)) * width;
  const int ny = rows - j0 < height ? rows - j0 : height, nx = columns - i0 < width ? columns - i0 : width;
  const std::size_t first = from.offset(int(k), j0 + ty) + std::ptrdiff_t(i0 + tx);
  const T* const f = from.data + first;
  T *const t = to.data + first, *const own = tile + (ty + 1) * stride + tx + 1;
  const std::ptrdiff_t pitch = from.pitch,
                       apart = Tile::tile_height * pitch;  // from row to row of a thread
  // Every value is asked for before the first is waited for.
  T values[Tile::rows] = {};
  PARITY_UNROLL
  for (int u = 0; u < Tile::rows; ++u)
    if (tx < nx && u * Tile::tile_height + ty < ny) values[u] = f[u * apart];
  // Threads in launch order, whole warps in front, load a point of the ring each: both rows, both
  // columns.
  constexpr int cells = 2 * (width + height);
  PARITY_UNROLL
  for (int some = 0; some < cells; some += Tile::threads) {
    const int q = some + int(thread);
    if (q >= cells) break;
    const bool along_x = q < 2 * width;
    const int at = along_x ? q % width : (q - 2 * width) % height,
              side = along_x ? q / width : (q - 2 * width) / height;
    const int r = along_x ? (side == 0 ? -1 : ny) : at, c = along_x ? at : (side == 0 ? -1 : nx);
    if (along_x ? at < nx : at < ny) own[(r - ty) * stride + c - tx] = f[(r - ty) * pitch + (c - tx)];
  }
  PARITY_UNROLL
  for (int u = 0; u < Tile::rows; ++u)
    if (tx < nx && u * Tile::tile_height + ty < ny) own[u * Tile::tile_height * stride] = values[u];
  __syncthreads();
  if (tx >= nx) return;
  PARITY_UNROLL
  for (int u = 0; u < Tile::rows; ++u) {
    if (u * Tile::tile_height + ty >= ny) continue;
    const T* const s = own + u * Tile::tile_height * stride;
    t[u * apart] = laplacian_at(s[0], s[-1], s[1], s[-stride], s[stride]);
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
      laplacian_kernel<Tile><<<unsigned(tiles * f.p.nz), Tile::threads, 0, f.stream>>>(
          from, to, rows, columns, FastDivide(across), FastDivide(tiles));
    });
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::shared_memory_fixed_warps {
Entry cuda_tuned() {
  return cuda::with_operations<cuda::SharedMemory>(cuda::with_configs<SharedTileConfigs>(
      shared_memory_fixed_warps_algorithm<true>(), diffusion::tile_axes));
}
}  // namespace parity::diffusion::shared_memory_fixed_warps

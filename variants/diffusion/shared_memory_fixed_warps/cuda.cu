// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-shared-memory-fixed-warps: the Laplacian of tiles in shared memory; the first warps of a
// block load the ring around its tile, so that no warp diverges in the computation. Twin of
// kokkos-shared-memory-fixed-warps.
#include "backend/cuda/diffusion/shared_tile.cuh"

namespace parity::cuda {
namespace {

/// Grid (x, y, nz); shared memory holds the tile and a ring around it.
template <class T>
__global__ void laplacian_shared(const T* __restrict__ from, T* __restrict__ to, int pitch, int rows, int m) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int width = blockDim.x, height = blockDim.y, stride = width + 2;
  T* const tile = reinterpret_cast<T*>(memory) + stride + 1;  // the first point inside the ring
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i0 = m + blockIdx.x * width, j0 = m + blockIdx.y * height, i = i0 + tx, j = j0 + ty;
  const T* const plane = from + std::size_t(blockIdx.z) * rows * pitch;
  // The ring of a tile at the end of the domain ends with it.
  const int loaded_x = min(width, pitch - m - i0), loaded_y = min(height, rows - m - j0);
  const bool inside = tx < loaded_x && ty < loaded_y;
  if (inside) tile[ty * stride + tx] = plane[std::size_t(j) * pitch + i];
  // Threads 0 to 2 (width + height) - 1 in launch order, whole warps in front, load one ring point each.
  for (int n = ty * width + tx; n < 2 * (width + height); n += width * height) {
    const bool along_x = n < 2 * width;
    const int q = along_x ? n : n - 2 * width, length = along_x ? width : height, at = q % length,
              side = q / length;
    const int r = along_x ? (side == 0 ? -1 : loaded_y) : at, c = along_x ? at : (side == 0 ? -1 : loaded_x);
    if (along_x ? at < loaded_x : at < loaded_y)
      tile[r * stride + c] = plane[std::size_t(j0 + r) * pitch + i0 + c];
  }
  __syncthreads();
  if (!inside) return;
  const T* const own = tile + ty * stride + tx;
  to[(std::size_t(blockIdx.z) * rows + j) * pitch + i] =
      laplacian(*own, own[-1], own[1], own[-stride], own[stride]);
}

template <class T>
struct SharedMemoryFixedWarps {
  Tuning tuning;
  SharedMemoryFixedWarps(const Problem&, const Tuning& t) : tuning(t) {}
  void operator()(const Fields<T>& f, const T* from, T* to, int m) const {
    if (is_tile(tuning)) return launch_shared_tiles<TileBoundary::fixed_warps>(f, tuning, from, to, m);
    launch_tiles(f, laplacian_shared<T>, block_of(tuning), /*ring=*/1, /*overlap=*/0, from, to, m);
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry shared_memory_fixed_warps_cuda() { return cuda::shared_tile_entry<cuda::SharedMemoryFixedWarps>(); }

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-shared-memory: the Laplacian of tiles in shared memory; threads at a tile's edge read their
// outer neighbours from global memory (the original work's Algorithm 2). Twin of kokkos-shared-memory.
#include "backend/cuda/diffusion/shared_tile.cuh"

namespace parity::cuda {
namespace {

/// Grid (x, y, nz); one shared value a thread.
template <class T>
__global__ void laplacian_shared(const T* __restrict__ from, T* __restrict__ to, int pitch, int rows, int m) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  const int tx = threadIdx.x, ty = threadIdx.y, stride = blockDim.x;
  const int i = m + blockIdx.x * blockDim.x + tx, j = m + blockIdx.y * blockDim.y + ty;
  const bool inside = i < pitch - m && j < rows - m;
  const std::size_t c = (std::size_t(blockIdx.z) * rows + j) * pitch + i;
  T* const own = tile + ty * stride + tx;
  if (inside) *own = from[c];
  __syncthreads();
  if (!inside) return;
  // The last points of the domain are edge points too: the threads beyond them have loaded nothing.
  const bool east = tx + 1 < int(blockDim.x) && i + 1 < pitch - m,
             north = ty + 1 < int(blockDim.y) && j + 1 < rows - m;
  if (tx > 0 && ty > 0 && east && north)
    to[c] = laplacian(*own, own[-1], own[1], own[-stride], own[stride]);
  else
    to[c] = laplacian(*own, tx > 0 ? own[-1] : from[c - 1], east ? own[1] : from[c + 1],
                      ty > 0 ? own[-stride] : from[c - pitch], north ? own[stride] : from[c + pitch]);
}

template <class T>
struct SharedMemory {
  Tuning tuning;
  SharedMemory(const Problem&, const Tuning& t) : tuning(t) {}
  void operator()(const Fields<T>& f, const T* from, T* to, int m) const {
    if (is_tile(tuning)) return launch_shared_tiles<TileBoundary::global>(f, tuning, from, to, m);
    launch_tiles(f, laplacian_shared<T>, block_of(tuning), /*ring=*/0, /*overlap=*/0, from, to, m);
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry shared_memory_cuda() { return cuda::shared_tile_entry<cuda::SharedMemory>(); }

}  // namespace parity::diffusion

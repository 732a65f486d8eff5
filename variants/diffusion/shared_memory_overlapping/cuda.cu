// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-shared-memory-overlapping: the Laplacian of overlapping tiles in shared memory; only the
// threads inside a block's edge compute. Twin of kokkos-shared-memory-overlapping.
#include "backend/cuda/diffusion/shared_tile.cuh"

namespace parity::cuda {
namespace {

/// Grid (x, y, nz); every thread loads a point, those inside the block's edge compute one.
template <class T>
__global__ void laplacian_shared(const T* __restrict__ from, T* __restrict__ to, int pitch, int rows, int m) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int i = m - 1 + blockIdx.x * (width - 2) + tx, j = m - 1 + blockIdx.y * (height - 2) + ty;
  const std::size_t c = (std::size_t(blockIdx.z) * rows + j) * pitch + i;
  T* const own = tile + ty * width + tx;
  if (i <= pitch - m && j <= rows - m) *own = from[c];
  __syncthreads();
  if (tx > 0 && ty > 0 && tx < width - 1 && ty < height - 1 && i < pitch - m && j < rows - m)
    to[c] = laplacian(*own, own[-1], own[1], own[-width], own[width]);
}

template <class T>
struct SharedMemoryOverlapping {
  Tuning tuning;
  SharedMemoryOverlapping(const Problem&, const Tuning& t) : tuning(t) {}
  void operator()(const Fields<T>& f, const T* from, T* to, int m) const {
    if (is_tile(tuning)) return launch_shared_tiles<TileBoundary::overlapping>(f, tuning, from, to, m);
    launch_tiles(f, laplacian_shared<T>, block_of(tuning), /*ring=*/0, /*overlap=*/2, from, to, m);
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry shared_memory_overlapping_cuda() {
  Entry e = cuda::shared_tile_entry<cuda::SharedMemoryOverlapping>();
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (cuda::is_tile(t)) return cuda::refuse_tile<cuda::SharedTiles>(p, t);
    if (t[0] < 3 || t[1] < 3) return "its tiles need at least 3 x 3 points";
    if (const auto why = cuda::refuse_grid(p, Tuning{{t[0] - 2, t[1] - 2}})) return why;
    return cuda::refuse_grid(p, t);
  };
  return e;
}

}  // namespace parity::diffusion

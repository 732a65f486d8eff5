// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_fixed_warps, CUDA, first version: one thread computes one point; shared memory holds a
// block's tile and the ring around it, which the block's first warps load.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion::shared_memory_fixed_warps {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void laplacian_fixed_warps(Field<const T> from, Field<T> to, int ny, int nx) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int r = threadIdx.y, c = threadIdx.x, height = blockDim.y, width = blockDim.x, stride = width + 2;
  T* const tile = reinterpret_cast<T*>(memory) + stride + 1;  // the first point inside the ring
  const int k = blockIdx.z, j0 = blockIdx.y * height, i0 = blockIdx.x * width;
  // A tile at the end of the domain is cut, and its ring with it.
  const int loaded_y = min(height, ny - j0), loaded_x = min(width, nx - i0);
  const bool inside = r < loaded_y && c < loaded_x;
  T* const own = tile + r * stride + c;
  if (inside) *own = from(k, j0 + r, i0 + c);
  // Threads 0 to 2 (width + height) - 1 in launch order, whole warps in front, load one ring point each.
  for (int n = r * width + c; n < 2 * (width + height); n += width * height) {
    const bool along_x = n < 2 * width;
    const int q = along_x ? n : n - 2 * width, length = along_x ? width : height, at = q % length,
              side = q / length;
    const int y = along_x ? (side == 0 ? -1 : loaded_y) : at, x = along_x ? at : (side == 0 ? -1 : loaded_x);
    if (along_x ? at < loaded_x : at < loaded_y) tile[y * stride + x] = from(k, j0 + y, i0 + x);
  }
  __syncthreads();
  if (inside) to(k, j0 + r, i0 + c) = laplacian_at(*own, own[-1], own[1], own[-stride], own[stride]);
}

struct SharedMemory : ElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from, Field<T> to) {
    const int ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin;
    const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, f.p.nz, block);
    laplacian_fixed_warps<<<grid, block, sizeof(T) * (block.x + 2) * (block.y + 2), f.stream>>>(from, to, ny,
                                                                                                nx);
  }
};

}  // namespace

Entry cuda() {
  Entry e = with_blocks(algorithm(), {"8x32", "4x32", "16x32", "8x64", "4x128"});
  return with_steps<TwoStage, SharedMemory>(e);
}

}  // namespace parity::diffusion::shared_memory_fixed_warps

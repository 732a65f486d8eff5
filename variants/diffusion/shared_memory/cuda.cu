// SPDX-License-Identifier: BSD-3-Clause
// shared_memory, CUDA, first version: one thread computes one point and keeps its value in shared memory;
// threads at a block's edge read their outer neighbours from global memory.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion::shared_memory {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void laplacian_shared_memory(Field<const T> from, Field<T> to, int ny, int nx) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  const int r = threadIdx.y, c = threadIdx.x, height = blockDim.y, width = blockDim.x;
  const int k = blockIdx.z, j = blockIdx.y * height + r, i = blockIdx.x * width + c;
  const bool inside = j < ny && i < nx;
  T* const own = tile + r * width + c;
  if (inside) *own = from(k, j, i);
  __syncthreads();
  if (!inside) return;
  // The last points of the domain are edge points, too: the threads beyond them have loaded nothing.
  const bool west = c > 0, east = c + 1 < width && i + 1 < nx, south = r > 0,
             north = r + 1 < height && j + 1 < ny;
  if (west && east && south && north)
    to(k, j, i) = laplacian_at(*own, own[-1], own[1], own[-width], own[width]);
  else
    to(k, j, i) =
        laplacian_at(*own, west ? own[-1] : from(k, j, i - 1), east ? own[1] : from(k, j, i + 1),
                     south ? own[-width] : from(k, j - 1, i), north ? own[width] : from(k, j + 1, i));
}

struct SharedMemory : ElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from, Field<T> to) {
    const int ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin;
    const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, f.p.nz, block);
    laplacian_shared_memory<<<grid, block, sizeof(T) * block.x * block.y, f.stream>>>(from, to, ny, nx);
  }
};

}  // namespace

Entry cuda() {
  Entry e = with_blocks(algorithm(), {"8x32", "4x32", "16x32", "8x64", "4x128"});
  return with_steps<TwoStage, SharedMemory>(e);
}

}  // namespace parity::diffusion::shared_memory

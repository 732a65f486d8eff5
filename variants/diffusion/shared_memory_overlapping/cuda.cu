// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_overlapping, CUDA, first version: every thread of a block loads a point, and those inside the
// block's edge compute one.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion::shared_memory_overlapping {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void laplacian_overlapping_tiles(Field<const T> from, Field<T> to, int ny, int nx) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  const int r = threadIdx.y, c = threadIdx.x, height = blockDim.y, width = blockDim.x;
  const int k = blockIdx.z, j = blockIdx.y * (height - 2) + r - 1, i = blockIdx.x * (width - 2) + c - 1;
  T* const own = tile + r * width + c;
  if (j <= ny && i <= nx) *own = from(k, j, i);
  __syncthreads();
  if (r > 0 && c > 0 && r < height - 1 && c < width - 1 && j < ny && i < nx)
    to(k, j, i) = laplacian_at(*own, own[-1], own[1], own[-width], own[width]);
}

struct SharedMemory : ElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from, Field<T> to) {
    const int ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin;
    const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, f.p.nz, block, /*overlap=*/2);
    laplacian_overlapping_tiles<<<grid, block, sizeof(T) * block.x * block.y, f.stream>>>(from, to, ny, nx);
  }
};

}  // namespace

Entry cuda() {
  Entry e = with_blocks(algorithm(), {"8x32", "4x32", "16x32", "8x64", "4x128"});
  e.refuse += [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] < 3 || t[1] < 3) return "its tiles need at least 3 x 3 points";
    return refuse_grid(p, Tuning{{t[0] - 2, t[1] - 2}});
  };
  return with_steps<TwoStage, SharedMemory>(e);
}

}  // namespace parity::diffusion::shared_memory_overlapping

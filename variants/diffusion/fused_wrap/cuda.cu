// SPDX-License-Identifier: BSD-3-Clause
// fused_wrap, CUDA, first version: one thread a point.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void kernel(Field<const T> in, Field<T> out, int nx, int ny, T alpha) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx) out(k, j, i) = update_wrapped_at(alpha, in, k, j, i, ny, nx);
}

template <class T>
void step(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in, Field<T> out) {
  const T alpha = T(p.alpha);
  const int nx = int(p.nx), ny = int(p.ny);
  const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, p.nz, block);
  kernel<<<grid, block, 0, stream>>>(in, out, nx, ny, alpha);
}

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::fused_wrap {
PARITY_CUDA_VARIANT(cuda, Periodic, step,
                    cuda::with_blocks(fused_wrap::algorithm(),
                                      {"2x128", "4x64", "8x32", "1x128", "4x128", "1x256"}))
}  // namespace parity::diffusion::fused_wrap

// SPDX-License-Identifier: BSD-3-Clause
// fused_1d, CUDA, first version: one thread a point. (0, 0) of a Field's planes is the first point inside the
// halo.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void kernel(Field<const T> in, Field<T> out, int points, int nx, int ny, T alpha) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= points) return;
  const int row = n / nx, k = row / ny, j = row - k * ny, i = n - row * nx;
  out(k, j, i) = update_at(alpha, in, k, j, i);
}

template <class T>
void step(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in, Field<T> out) {
  const T alpha = T(p.alpha);
  const int nx = int(p.nx), ny = int(p.ny), points = int(p.points()), block = tuning[0];
  kernel<<<blocks_for(points, block), block, 0, stream>>>(in, out, points, nx, ny, alpha);
}

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::fused_1d {
PARITY_CUDA_VARIANT(cuda, HaloBefore, step,
                    cuda::with_flat_blocks(fused_1d::algorithm(), {"256", "128", "512"}))
}  // namespace parity::diffusion::fused_1d

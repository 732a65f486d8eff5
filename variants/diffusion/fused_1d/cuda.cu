// SPDX-License-Identifier: BSD-3-Clause
// fused_1d, CUDA, first version: one thread updates one point. Index (0, 0) of a Field's plane is the first
// point inside the halo.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::diffusion::fused_1d {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void fused_1d_step(Field<const T> in, Field<T> out, int points, int nx, int ny, T alpha) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= points) return;
  const int row = n / nx, k = row / ny, j = row - k * ny, i = n - row * nx;
  out(k, j, i) = update_at(alpha, in, k, j, i);
}

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny), points = int(p.points()), block = tuning[0];
    fused_1d_step<<<blocks_for(points, block), block, 0, stream>>>(in, out, points, nx, ny, alpha);
  }
};

}  // namespace

Entry cuda() { return with_steps<HaloBefore, Step>(with_flat_blocks(algorithm(), {"256", "128", "512"})); }

}  // namespace parity::diffusion::fused_1d

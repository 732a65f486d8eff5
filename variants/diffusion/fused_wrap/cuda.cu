// SPDX-License-Identifier: BSD-3-Clause
// fused_wrap, CUDA, first version: one thread updates one point.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::diffusion::fused_wrap {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void fused_wrap_step(Field<const T> in, Field<T> out, int nx, int ny, T alpha) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx) out(k, j, i) = update_wrapped_at(alpha, in, k, j, i, ny, nx);
}

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny);
    const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, p.nz, block);
    fused_wrap_step<<<grid, block, 0, stream>>>(in, out, nx, ny, alpha);
  }
};

}  // namespace

Entry cuda() {
  return with_steps<Periodic, Step>(
      with_blocks(algorithm(), {"2x128", "4x64", "8x32", "1x128", "4x128", "1x256"}));
}

}  // namespace parity::diffusion::fused_wrap

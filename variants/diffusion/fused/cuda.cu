// SPDX-License-Identifier: BSD-3-Clause
// fused, CUDA, first version: one thread updates one point. Index (0, 0) of a Field's plane is the first
// point inside the halo.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::diffusion::fused {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void fused_step(Field<const T> in, Field<T> out, int nx, int ny, T alpha) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx) out(k, j, i) = update_at(alpha, in, k, j, i);
}

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const T alpha = T(p.alpha);
    const dim3 block = block_of(tuning), grid = plane_grid(p.nx, p.ny, p.nz, block);
    fused_step<<<grid, block, 0, stream>>>(in, out, int(p.nx), int(p.ny), alpha);
  }
};

}  // namespace

Entry cuda() {
  return with_steps<HaloBefore, Step>(
      with_blocks(algorithm(), {"2x128", "4x64", "8x32", "1x128", "4x128", "1x256", "16x16"}));
}

}  // namespace parity::diffusion::fused

// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-barrier-neighbours: no barrier of all, each block waits for the blocks beside it, as a stencil
// needs.
#include "backend/cuda/launch/barrier.cuh"
#include "backend/cuda/ordered.cuh"

namespace parity::launch {
namespace {
struct NeighbourFlags {
  static __device__ void pass(unsigned k, unsigned* state) {
    __syncthreads();
    // A lane a neighbour where there are two, so that the waits pass at the same time.
    if (threadIdx.x == 0) cuda::store_release(state + blockIdx.x * cuda::flag_stride, k + 1);
    for (unsigned side = threadIdx.x; side < 2; side += blockDim.x) {
      const unsigned blocks = gridDim.x, beside = (blockIdx.x + (side == 0 ? blocks - 1 : 1)) % blocks;
      while (cuda::load_acquire(state + beside * cuda::flag_stride) < k + 1) {
      }
    }
    __syncthreads();
  }
};
}  // namespace

Entry barrier_cuda_neighbours() { return grid_barrier<NeighbourFlags, cuda::flag_stride>(); }

}  // namespace parity::launch

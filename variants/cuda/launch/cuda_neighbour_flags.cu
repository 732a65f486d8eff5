// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-neighbour-flags: no barrier of all, each block waits for the blocks beside it, as a stencil
// needs.
#include "barrier.cuh"

namespace parity::launch {
namespace {
struct NeighbourFlags {
  static __device__ void pass(unsigned k, unsigned* state) {
    volatile unsigned* const flag = state;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      flag[blockIdx.x] = k + 1;
      const unsigned left = (blockIdx.x + gridDim.x - 1) % gridDim.x, right = (blockIdx.x + 1) % gridDim.x;
      while (flag[left] < k + 1 || flag[right] < k + 1) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};
}  // namespace

Entry cuda_neighbour_flags() { return grid_barrier<NeighbourFlags>(); }

}  // namespace parity::launch

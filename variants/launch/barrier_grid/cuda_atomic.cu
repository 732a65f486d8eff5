// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-barrier-grid-atomic: a grid barrier of one counter that every block increments and watches.
#include "backend/cuda/launch/barrier.cuh"

namespace parity::launch {
namespace {
struct GridAtomic {
  static __device__ void pass(unsigned k, unsigned* state) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(state, 1u);
      const unsigned all = (k + 1) * gridDim.x;
      // The difference stays right when the counter runs over.
      while (int(*static_cast<volatile unsigned*>(state) - all) < 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};
}  // namespace

Entry barrier_grid_cuda_atomic() { return grid_barrier<GridAtomic>(); }

}  // namespace parity::launch

// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-barrier: the barrier of a block.
#include "backend/cuda/launch/barrier.cuh"

namespace parity::launch {
namespace {
struct Syncthreads {
  static __device__ void pass(unsigned, unsigned*) { __syncthreads(); }
};
}  // namespace

Entry barrier_cuda() { return cuda_probe<BarrierProbe<Syncthreads, Start::plain>>(Role::barrier); }

}  // namespace parity::launch

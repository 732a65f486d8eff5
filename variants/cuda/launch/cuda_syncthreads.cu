// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-syncthreads: the barrier of a block.
#include "barrier.cuh"

namespace parity::launch {
namespace {
struct Syncthreads {
  static __device__ void pass(unsigned, unsigned*) { __syncthreads(); }
};
}  // namespace

Entry cuda_syncthreads() { return cuda_probe<BarrierProbe<Syncthreads, Start::plain>>(Role::barrier); }

}  // namespace parity::launch

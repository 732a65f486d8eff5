// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-barrier-warp: the barrier of a warp.
#include "backend/cuda/launch/barrier.cuh"

namespace parity::launch {
namespace {
struct Syncwarp {
  static __device__ void pass(unsigned, unsigned*) { __syncwarp(); }
};
}  // namespace

Entry barrier_cuda_warp() { return cuda_probe<BarrierProbe<Syncwarp, Start::plain>>(Role::barrier); }

}  // namespace parity::launch

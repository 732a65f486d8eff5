// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-syncwarp: the barrier of a warp.
#include "barrier.cuh"

namespace parity::launch {
namespace {
struct Syncwarp {
  static __device__ void pass(unsigned, unsigned*) { __syncwarp(); }
};
}  // namespace

Entry cuda_syncwarp() { return cuda_probe<BarrierProbe<Syncwarp, Start::plain>>(Role::barrier); }

}  // namespace parity::launch

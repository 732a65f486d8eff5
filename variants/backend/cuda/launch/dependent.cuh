// SPDX-License-Identifier: BSD-3-Clause
// Kernels that let the next kernel start at once and wait for the previous one only before their work.
#pragma once
#include "backend/cuda/architecture.cuh"
#include "backend/cuda/launch/probe.cuh"

namespace parity::launch {

__device__ __forceinline__ void let_next_start_and_wait_for_last() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <int = 0>
__global__ void dependent_nothing() {
  let_next_start_and_wait_for_last();
}
template <Kind kind>
__global__ void dependent_work(Work work) {
  let_next_start_and_wait_for_last();
  perform<kind>(work, thread_of_grid());
}

inline std::optional<std::string> why_not_dependent(const Problem&) {
  return cuda::why_not_sm_90(dependent_work<Kind::wait>, "dependent launches");
}

}  // namespace parity::launch

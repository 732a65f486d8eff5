// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-cluster-barrier-relaxed: the barrier of a cluster for execution only.
#include "backend/cuda/launch/barrier.cuh"

namespace parity::launch {

#if CUDART_VERSION >= 12000
namespace {
struct ClusterRelaxed {
  static __device__ void pass(unsigned, unsigned*) {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;");
    asm volatile("barrier.cluster.wait.aligned;");
#endif
  }
};
}  // namespace

Entry cluster_cuda_barrier_relaxed() { return cluster_barrier<ClusterRelaxed>(); }
#else
Entry cluster_cuda_barrier_relaxed() {
  return cannot(Role::barrier, "a relaxed cluster barrier needs CUDA 12.0 or newer");
}
#endif

}  // namespace parity::launch

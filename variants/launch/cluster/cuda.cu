// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-cluster: cudaLaunchKernelExC launches a grid in clusters of blocks. Its -barrier form passes a
// cluster's barrier with the memory order that users expect, -barrier-relaxed one without.
#include "algorithm.hpp"
#include "backend/cuda/architecture.cuh"
#include "backend/cuda/cluster.cuh"
#include "backend/cuda/launch/probe.cuh"

namespace parity::launch::cluster {

#if PARITY_HAS_CLUSTERS
namespace {

class CudaCluster : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    Call call(work, p_.argument_bytes);
    const cuda::ClusterLaunch launch(grid_, block_.x, dim3(cluster_blocks), 0, stream_);
    for (int k = 0; k < count; ++k)
      PARITY_CUDA(cudaLaunchKernelExC(&launch.config, call.function(), call.arguments()));
  }
};

struct OrderedBarrier {
  static __device__ void pass() {
#if __CUDA_ARCH__ >= 900  // by default, arrive has release and wait has acquire semantics
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#endif
  }
};

#if CUDART_VERSION >= 12000
struct RelaxedBarrier {
  static __device__ void pass() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;");
    asm volatile("barrier.cluster.wait.aligned;");
#endif
  }
};
#endif

template <class Barrier, Kind kind>
__global__ void pass_cluster_barrier(Work work, int count) {
  for (int k = 0; k < count; ++k) {
    if constexpr (kind != Kind::none) {
      perform<kind>(work, thread_of_grid());
      __syncwarp();  // aligned barriers need converged warps, and one thread may have waited alone
    }
    Barrier::pass();
  }
}

template <class Barrier>
class CudaClusterBarrier : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    Work w = work;
    void* arguments[] = {&w, &count};
    const cuda::ClusterLaunch launch(grid_, block_.x, dim3(cluster_blocks), 0, stream_);
    const void* const function =
        work.kind == Kind::none ? reinterpret_cast<const void*>(pass_cluster_barrier<Barrier, Kind::none>)
                                : reinterpret_cast<const void*>(pass_cluster_barrier<Barrier, Kind::wait>);
    PARITY_CUDA(cudaLaunchKernelExC(&launch.config, function, arguments));
  }
};

/// Returns the reason why a kernel cannot run here in clusters with the problem's number of blocks.
template <class Kernel>
std::optional<std::string> why_not_in_clusters(Kernel* kernel, const Problem& p) {
  if (const auto why = cuda::why_not_sm_90(kernel, "clusters")) return why;
  if (p.blocks % cluster_blocks != 0) return "clusters have 8 blocks; give --blocks a multiple of 8";
  return std::nullopt;
}

template <class Barrier>
Entry cluster_barrier_entry() {
  Entry e = algorithm(Role::barrier);
  e.refuse = [](const Problem& p) {
    return why_not_in_clusters(pass_cluster_barrier<Barrier, Kind::wait>, p);
  };
  return with_probe<CudaClusterBarrier<Barrier>>(e);
}

}  // namespace

Entry cuda() {
  Entry e = algorithm(Role::launch);
  e.kernels = true;
  e.most_argument_bytes = most_argument_bytes;
  e.refuse = [](const Problem& p) { return why_not_in_clusters(work_kernel<Kind::wait>, p); };
  return with_probe<CudaCluster>(e);
}

Entry cuda_barrier() { return cluster_barrier_entry<OrderedBarrier>(); }

Entry cuda_barrier_relaxed() {
#if CUDART_VERSION >= 12000
  return cluster_barrier_entry<RelaxedBarrier>();
#else
  return cannot(Role::barrier, "a relaxed cluster barrier needs CUDA 12.0 or newer");
#endif
}
#else
Entry cuda() { return cannot(Role::launch, "clusters need CUDA 11.8 or newer"); }
Entry cuda_barrier() { return cannot(Role::barrier, "clusters need CUDA 11.8 or newer"); }
Entry cuda_barrier_relaxed() { return cannot(Role::barrier, "clusters need CUDA 11.8 or newer"); }
#endif

}  // namespace parity::launch::cluster

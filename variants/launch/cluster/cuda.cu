// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-cluster: the launch of a grid in clusters of blocks.
#include "backend/cuda/launch/clusters.cuh"

namespace parity::launch {

#if PARITY_HAS_CLUSTERS
namespace {

class Cluster : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    Call call(work, p_.argument_bytes);
    const cuda::ClusterLaunch launch(grid_, block_.x, dim3(cluster_blocks), 0, stream_);
    for (int k = 0; k < count; ++k)
      PARITY_CUDA(cudaLaunchKernelExC(&launch.config, call.function(), call.arguments()));
  }
};

}  // namespace

Entry cluster_cuda() {
  Entry e = cuda_probe<Cluster>(Role::launch);
  e.kernels = true;
  e.most_argument_bytes = most_argument_bytes;
  e.refuse = [](const Problem& p) { return why_not_in_clusters(work_kernel<Kind::wait>, p); };
  return e;
}
#else
Entry cluster_cuda() { return cannot(Role::launch, no_clusters_in_this_build); }
#endif

}  // namespace parity::launch

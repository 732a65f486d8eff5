// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-cluster: the chunks of a query tile are one cluster of eight blocks, which add their sums
// through each other's shared memory; compute capability 9.0.
#include <cooperative_groups.h>

#include "cuda/runtime/architecture.cuh"
#include "split.cuh"

namespace parity::cuda {
namespace {

constexpr int cluster_blocks = 8;  // what every device with clusters can hold

template <class T>
__global__ void __launch_bounds__(split_threads)
    cluster_pass([[maybe_unused]] const T* __restrict__ samples, [[maybe_unused]] HardwareTerm<T> term,
                 [[maybe_unused]] Split split, [[maybe_unused]] Sink<T> sink) {
#if __CUDA_ARCH__ >= 900
  __shared__ double totals[split_threads];
  const auto cluster = cooperative_groups::this_cluster();
  // A chunk beyond the last one is empty: its block adds zeros.
  totals[threadIdx.x] = chunk_total(samples, term, split, sink.n);
  cluster.sync();
  constexpr int share = split_threads / cluster_blocks;
  if (threadIdx.x < share) {
    const int place = int(cluster.block_rank()) * share + int(threadIdx.x);
    double sum = 0;
#pragma unroll
    for (int b = 0; b < cluster_blocks; ++b) sum += cluster.map_shared_rank(totals, b)[place];
    const std::int64_t query = std::int64_t(blockIdx.x) * split_threads + place;
    if (query < sink.n) sink.density[query] = T(sum * sink.norm);
  }
  cluster.sync();
#endif
}

template <class T>
struct SplitCluster {
  Samples<T> s;
  Split split;
  SplitCluster(const Problem& p, const Tuning&)
      : s(p), split(split_into(p.n, split_threads, cluster_blocks)) {
    s.blocks_resident(cluster_pass<T>, split_threads);
  }
  void operator()() const {
#if CUDART_VERSION >= 11080
    cudaLaunchConfig_t config{};
    // All blocks of a cluster, also where there are fewer chunks.
    config.gridDim = dim3(unsigned(split.tiles), cluster_blocks);
    config.blockDim = dim3(split_threads);
    config.stream = s.stream;
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 1;
    cluster.val.clusterDim.y = cluster_blocks;
    cluster.val.clusterDim.z = 1;
    config.attrs = &cluster;
    config.numAttrs = 1;
    PARITY_CUDA(cudaLaunchKernelEx(&config, cluster_pass<T>, s.data(), HardwareTerm<T>(s.p.bandwidth), split,
                                   s.sink()));
#endif
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_split_cluster() {
  Entry e = cuda::split_entry(1);
  e.tunings.clear();
  e.refuse = []([[maybe_unused]] const Problem& p, const Tuning&) -> std::optional<std::string> {
#if CUDART_VERSION >= 11080
    return p.precision == harness::Precision::f32
               ? cuda::why_not_sm_90(cuda::cluster_pass<float>, "clusters")
               : cuda::why_not_sm_90(cuda::cluster_pass<double>, "clusters");
#else
    return "clusters need CUDA 11.8 or newer";
#endif
  };
  return cuda::with_sum<cuda::SplitCluster>(e);
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// split_cluster, CUDA: the chunks of a query tile are one cluster of blocks: each block hands its sums to
// the block that owns the queries, through shared memory, so that nothing is added in global memory; compute
// capability 9.0.
#include <cooperative_groups.h>

#include "backend/cuda/architecture.cuh"
#include "backend/cuda/cluster.cuh"
#include "backend/cuda/kde/split.cuh"

namespace parity::cuda {
namespace {

#if PARITY_HAS_CLUSTERS
/// Sums go to their owners before the only wait that follows the arithmetic; the first wait, for blocks that
/// have not begun, lies behind it.
template <int blocks, class T, class Term>
__global__ void __launch_bounds__(split_threads)
    cluster_pass([[maybe_unused]] const T* __restrict__ samples, [[maybe_unused]] Term term,
                 [[maybe_unused]] Split split, [[maybe_unused]] Sink<T> sink) {
#if __CUDA_ARCH__ >= 900
  constexpr int share = split_threads / blocks;  // queries that a block owns
  __shared__ double totals[blocks][share];
  const auto cluster = cooperative_groups::this_cluster();
  cluster_arrive();
  // A chunk beyond the last one is empty: its block adds zeros.
  const double total =
      chunk_total(samples, term, split, std::int64_t(blockIdx.x) * split_threads + threadIdx.x, sink.n);
  cluster_wait();
  const int rank = int(cluster.block_rank()), thread = int(threadIdx.x);
  *cluster.map_shared_rank(&totals[rank][thread % share], thread / share) = total;
  cluster.sync();
  if (thread >= share) return;
  double sum = 0;
#pragma unroll
  for (int b = 0; b < blocks; ++b) sum += totals[b][thread];
  const std::int64_t query = std::int64_t(blockIdx.x) * split_threads + rank * share + thread;
  if (query < sink.n) sink.density[query] = T(sum * sink.norm);
#endif
}
#endif

/// The tuning is the number of blocks of a cluster.
template <class T, class Term>
struct SplitCluster {
  Samples<T> s;
  Split split;
#if PARITY_HAS_CLUSTERS
  using Kernel = void (*)(const T*, Term, Split, Sink<T>);
  Kernel kernel;
  unsigned blocks;
  static Kernel kernel_of(int blocks) {
    return blocks == 16 ? cluster_pass<16, T, Term> : cluster_pass<8, T, Term>;
  }
  /// All blocks of a cluster, also where there are fewer chunks.
  static ClusterLaunch launch_of(const Split& split, unsigned blocks, cudaStream_t stream = nullptr) {
    return ClusterLaunch(dim3(unsigned(split.tiles), blocks), split_threads, dim3(1, blocks), 0, stream);
  }
  SplitCluster(const Problem& p, const Tuning& t)
      : s(p), split(split_into(p.n, split_threads, t[0])), kernel(kernel_of(t[0])), blocks(unsigned(t[0])) {
    allow_large_clusters(reinterpret_cast<const void*>(kernel));
    s.blocks_resident(kernel, split_threads);
  }
  void operator()() const {
    const ClusterLaunch launch = launch_of(split, blocks, s.stream);
    PARITY_CUDA(cudaLaunchKernelEx(&launch.config, kernel, s.data(), Term(s.p.bandwidth), split, s.sink()));
  }
  static std::optional<std::string> why_not(const Problem& p, const Tuning& t) {
    if (t[0] != 8 && t[0] != 16) return "a cluster has 8 or 16 blocks";
    const Kernel wanted = kernel_of(t[0]);
    if (const auto reason = why_not_sm_90(wanted, "clusters")) return reason;
    allow_large_clusters(reinterpret_cast<const void*>(wanted));
    const ClusterLaunch launch = launch_of(split_into(p.n, split_threads, t[0]), unsigned(t[0]));
    if (clusters_resident(reinterpret_cast<const void*>(wanted), launch) > 0) return std::nullopt;
    return "this GPU has no room for a cluster of " + std::to_string(t[0]) + " blocks";
  }
#else
  SplitCluster(const Problem& p, const Tuning&) : s(p) {}
  void operator()() const {}
  static std::optional<std::string> why_not(const Problem&, const Tuning&) {
    return "clusters need CUDA 11.8 or newer";
  }
#endif
};

template <class T>
using HardwareSum = SplitCluster<T, HardwareTerm<T>>;
/// A thread has one query, so that its pairs repeat after the four of a pack: the first of them, 4 of 16, has
/// the polynomial.
using MixedSum = SplitCluster<float, MixedTerm<1>>;

}  // namespace
}  // namespace parity::cuda

namespace parity::kde::split_cluster {

Entry cuda() {
  Entry e = cuda::with_chunks(Entry());
  e.tunings = {"16", "8", "16x4", "8x4"};
  e.tuning_axes = "blocks of a cluster: 16 or 8; also x pairs of 16 on the polynomial: 4";
  e.polynomial_place = 1;
  e.captured = true;
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    const bool single = p.precision == harness::Precision::f32;
    if (t.values.size() == 1)
      return single ? cuda::HardwareSum<float>::why_not(p, t) : cuda::HardwareSum<double>::why_not(p, t);
    if (t[1] != 4) return "4 of 16 pairs go to the polynomial";
    return single ? cuda::MixedSum::why_not(p, t) : "it mixes units that compute in float only";
  };
  e.make_f32 = [](const Problem& p, const Tuning& t) {
    return t.values.size() == 1 ? cuda::make_sum<float, cuda::HardwareSum<float>>(p, t)
                                : cuda::make_sum<float, cuda::MixedSum>(p, t);
  };
  e.make_f64 = cuda::make_sum<double, cuda::HardwareSum<double>>;
  return e;
}

}  // namespace parity::kde::split_cluster

// SPDX-License-Identifier: BSD-3-Clause
// One kernel that passes a barrier many times.
#pragma once
#include "backend/cuda/buffer.cuh"
#include "backend/cuda/launch/clusters.cuh"

namespace parity::launch {

/// Barrier is a device functor: pass(k, state) for the k-th pass; 'state' starts with zeros, so many words
/// a block and one more.
template <class Barrier, Kind kind>
__global__ void pass_barrier(Work work, int count, unsigned* state) {
  for (int k = 0; k < count; ++k) {
    if constexpr (kind != Kind::none) {
      perform<kind>(work, thread_of_grid());
      __syncwarp();  // the aligned barriers of clusters want whole warps, and one thread may have waited
                     // alone
    }
    Barrier::pass(unsigned(k), state);
  }
}

template <class Barrier>
const void* barrier_function(Kind kind) {
  return kind == Kind::none ? reinterpret_cast<const void*>(pass_barrier<Barrier, Kind::none>)
                            : reinterpret_cast<const void*>(pass_barrier<Barrier, Kind::wait>);
}

/// How the kernel is launched.
enum class Start { plain, cooperative, cluster };

template <class Barrier, Start start_as, int words = 1>
class BarrierProbe : public CudaProbe {
 public:
  explicit BarrierProbe(const Problem& p) : CudaProbe(p), state_(std::int64_t(p.blocks) * words + 1) {}
  void start(int count, const Work& work) override {
    PARITY_CUDA(cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream_));
    Work w = work;
    unsigned* state = state_.data();
    void* arguments[] = {&w, &count, &state};
    const void* const function = barrier_function<Barrier>(work.kind);
    if constexpr (start_as == Start::plain) {
      PARITY_CUDA(cudaLaunchKernel(function, grid_, block_, arguments, 0, stream_));
    } else if constexpr (start_as == Start::cooperative) {
      PARITY_CUDA(cudaLaunchCooperativeKernel(function, grid_, block_, arguments, 0, stream_));
    } else {
#if PARITY_HAS_CLUSTERS
      const cuda::ClusterLaunch launch(grid_, block_.x, dim3(cluster_blocks), 0, stream_);
      PARITY_CUDA(cudaLaunchKernelExC(&launch.config, function, arguments));
#endif
    }
  }

 private:
  cuda::Buffer<unsigned> state_;
};

/// An entry whose grid must be resident as a whole.
template <class Barrier, int words = 1>
Entry grid_barrier() {
  Entry e = cuda_probe<BarrierProbe<Barrier, Start::cooperative, words>>(Role::barrier);
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (!attribute(cudaDevAttrCooperativeLaunch)) return "this GPU cannot launch cooperative kernels";
    return why_not_resident(barrier_function<Barrier>(Kind::wait), p);
  };
  return e;
}

/// An entry whose blocks form clusters.
template <class Barrier>
Entry cluster_barrier() {
#if PARITY_HAS_CLUSTERS
  Entry e = cuda_probe<BarrierProbe<Barrier, Start::cluster>>(Role::barrier);
  e.refuse = [](const Problem& p) { return why_not_in_clusters(pass_barrier<Barrier, Kind::wait>, p); };
  return e;
#else
  return cannot(Role::barrier, no_clusters_in_this_build);
#endif
}

}  // namespace parity::launch

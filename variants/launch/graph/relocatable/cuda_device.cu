// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-device: a graph of one kernel that launches the graph again from the device.
#include "../graphs.cuh"

namespace parity::launch {

#if CUDART_VERSION >= 12000
namespace {

/// Where a launch of the graph is, and how many there are. It is at 0 again after the last of them, so that
/// nobody sets it between launches of the host.
struct LaunchCounter {
  int* done;
  int count;
};

template <Kind kind>
__global__ void launch_again(Work work, LaunchCounter counter) {
  const std::int64_t thread = thread_of_grid();
  if constexpr (kind != Kind::none) perform<kind>(work, thread);
  if (thread != 0) return;
  if (++*counter.done < counter.count)
    // A tail launch begins when this launch of the graph is over.
    cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
  else
    *counter.done = 0;
}

class SelfLaunchingGraph : public cuda::NativeGraph {
 public:
  SelfLaunchingGraph(cudaStream_t stream, const Problem& p, int count, const Work& work, int* done)
      : NativeGraph(stream, cudaGraphInstantiateFlagDeviceLaunch) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    add_counting_kernel(graph_, launch_again<Kind::none>, launch_again<Kind::wait>, p, work,
                        LaunchCounter{done, count});
  }
};

}  // namespace

Entry graph_cuda_device() {
  Entry e = cuda_probe<CountingGraphs<SelfLaunchingGraph>>(Role::graph);
  return e;
}
#else
Entry graph_cuda_device() { return cannot(Role::graph, "graphs launch from the device from CUDA 12.0"); }
#endif

}  // namespace parity::launch

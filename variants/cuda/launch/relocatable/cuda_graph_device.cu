// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-device: a graph of one kernel that launches the graph again from the device.
#include "../cuda_call.cuh"
#include "cuda/runtime/buffer.cuh"
#include "cuda/runtime/native_graph.cuh"

namespace parity::launch {

#if CUDART_VERSION >= 12000
namespace {

template <Kind kind>
__global__ void launch_again(Work work, int* remaining) {
  const std::int64_t thread = thread_of_grid();
  if constexpr (kind != Kind::none) perform<kind>(work, thread);
  // A tail launch begins when this launch of the graph is over.
  if (thread == 0 && --*remaining > 0) cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

class SelfLaunchingGraph : public cuda::NativeGraph {
 public:
  SelfLaunchingGraph(cudaStream_t stream, const Problem& p, int count, const Work& work)
      : NativeGraph(stream, cudaGraphInstantiateFlagDeviceLaunch), count_(count), remaining_(1) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    Work w = work;
    int* remaining = remaining_.data();
    void* arguments[] = {&w, &remaining};
    cuda::add_kernel(graph_,
                     work.kind == Kind::none ? reinterpret_cast<const void*>(launch_again<Kind::none>)
                                             : reinterpret_cast<const void*>(launch_again<Kind::wait>),
                     dim3(unsigned(p.blocks)), dim3(unsigned(p.threads)), arguments);
  }
  void launch() override {
    PARITY_CUDA(cudaMemcpyAsync(remaining_.data(), &count_, sizeof(int), cudaMemcpyHostToDevice, stream_));
    NativeGraph::launch();
  }

 private:
  int count_;
  cuda::Buffer<int> remaining_;
};

class GraphDevice : public GraphProbe<CudaProbe> {
 public:
  using GraphProbe<CudaProbe>::GraphProbe;
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return std::make_unique<SelfLaunchingGraph>(stream_, p_, count, work);
  }
};

}  // namespace

Entry cuda_graph_device() {
  Entry e = cuda_probe<GraphDevice>(Role::graph);
  e.kernels_of = nobody_can_say;  // what the device launches
  return e;
}
#else
Entry cuda_graph_device() { return cannot(Role::graph, "graphs launch from the device from CUDA 12.0"); }
#endif

}  // namespace parity::launch

// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-device: a graph of one kernel that launches the graph again from the device.
#include "../cuda_call.cuh"

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

class SelfLaunchingGraph : public study::Recording {
 public:
  SelfLaunchingGraph(cudaStream_t stream, const Problem& p, int count, const Work& work)
      : stream_(stream), count_(count) {
    PARITY_CUDA(cudaMalloc(&remaining_, sizeof(int)));
    PARITY_CUDA(cudaGraphCreate(&graph_, 0));
    Work w = work;
    void* arguments[] = {&w, &remaining_};
    cudaKernelNodeParams parameters{};
    parameters.func = work.kind == Kind::none ? reinterpret_cast<void*>(launch_again<Kind::none>)
                                              : reinterpret_cast<void*>(launch_again<Kind::wait>);
    parameters.gridDim = dim3(unsigned(p.blocks));
    parameters.blockDim = dim3(unsigned(p.threads));
    parameters.kernelParams = arguments;
    cudaGraphNode_t node{};
    PARITY_CUDA(cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &parameters));
  }
  ~SelfLaunchingGraph() override {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
    cudaFree(remaining_);
  }
  void instantiate() override {
    PARITY_CUDA(cudaGraphInstantiateWithFlags(&exec_, graph_, cudaGraphInstantiateFlagDeviceLaunch));
  }
  void upload() override { PARITY_CUDA(cudaGraphUpload(exec_, stream_)); }
  void submit() override {
    PARITY_CUDA(cudaMemcpyAsync(remaining_, &count_, sizeof(int), cudaMemcpyHostToDevice, stream_));
    PARITY_CUDA(cudaGraphLaunch(exec_, stream_));
  }
  void become(const study::Recording&) override { throw std::logic_error("not for the launch study"); }

 private:
  cudaStream_t stream_;
  int count_;
  int* remaining_ = nullptr;
  cudaGraph_t graph_{};
  cudaGraphExec_t exec_{};
};

class GraphDevice : public RecordedProbe<CudaProbe> {
 public:
  using RecordedProbe<CudaProbe>::RecordedProbe;
  std::unique_ptr<study::Recording> record(int count, const Work& work) override {
    return std::make_unique<SelfLaunchingGraph>(stream_, p_, count, work);
  }
};

}  // namespace

Entry cuda_graph_device() { return cuda_probe<GraphDevice>(Role::graph); }
#else
Entry cuda_graph_device() { return cannot(Role::graph, "graphs launch from the device from CUDA 12.0"); }
#endif

}  // namespace parity::launch

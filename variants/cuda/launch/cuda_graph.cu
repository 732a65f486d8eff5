// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph: kernel nodes added to a graph one by one, in a line or forking to four and joining.
#include "cuda_call.cuh"

namespace parity::launch {
namespace {

class NodeGraph : public study::Recording {
 public:
  NodeGraph(cudaStream_t stream, const Problem& p, int count, const Work& work) : stream_(stream) {
    PARITY_CUDA(cudaGraphCreate(&graph_, 0));
    Call node(work, 0), branch(Work(), 0);
    const auto add = [&](Call& call, const std::vector<cudaGraphNode_t>& after) {
      cudaKernelNodeParams parameters{};
      parameters.func = const_cast<void*>(call.function());
      parameters.gridDim = dim3(unsigned(p.blocks));
      parameters.blockDim = dim3(unsigned(p.threads));
      parameters.kernelParams = call.arguments();
      cudaGraphNode_t added{};
      PARITY_CUDA(cudaGraphAddKernelNode(&added, graph_, after.data(), after.size(), &parameters));
      return added;
    };
    std::vector<cudaGraphNode_t> last;
    for (int k = 0; k < count; ++k) {
      if (p.topology == Topology::fork)
        last = {add(branch, last), add(branch, last), add(branch, last), add(branch, last)};
      last = {add(node, last)};
    }
  }
  ~NodeGraph() override {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  void instantiate() override { PARITY_CUDA(cudaGraphInstantiateWithFlags(&exec_, graph_, 0)); }
  void upload() override { PARITY_CUDA(cudaGraphUpload(exec_, stream_)); }
  void submit() override { PARITY_CUDA(cudaGraphLaunch(exec_, stream_)); }
  void become(const study::Recording&) override { throw std::logic_error("not for the launch study"); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_{};
  cudaGraphExec_t exec_{};
};

class Graph : public RecordedProbe<CudaProbe> {
 public:
  using RecordedProbe<CudaProbe>::RecordedProbe;
  std::unique_ptr<study::Recording> record(int count, const Work& work) override {
    return std::make_unique<NodeGraph>(stream_, p_, count, work);
  }
};

}  // namespace

Entry cuda_graph() {
  Entry e = cuda_probe<Graph>(Role::graph);
  e.kernels = true;
  e.forks = true;
  return e;
}

}  // namespace parity::launch

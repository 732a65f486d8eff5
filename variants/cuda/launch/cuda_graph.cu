// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph: kernel nodes added to a graph one by one, in a line or forking to four and joining.
#include "cuda/runtime/native_graph.cuh"
#include "cuda_call.cuh"

namespace parity::launch {
namespace {

class NodeGraph : public cuda::NativeGraph {
 public:
  NodeGraph(cudaStream_t stream, const Problem& p, int count, const Work& work) : NativeGraph(stream) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    Call node(work, 0), branch(Work(), 0);
    const auto add = [&](Call& call, const std::vector<cudaGraphNode_t>& after) {
      return cuda::add_kernel(graph_, call.function(), dim3(unsigned(p.blocks)), dim3(unsigned(p.threads)),
                              call.arguments(), after);
    };
    std::vector<cudaGraphNode_t> last;
    for (int k = 0; k < count; ++k) {
      if (p.topology == Topology::fork)
        last = {add(branch, last), add(branch, last), add(branch, last), add(branch, last)};
      last = {add(node, last)};
    }
  }
};

class Graph : public GraphProbe<CudaProbe> {
 public:
  using GraphProbe<CudaProbe>::GraphProbe;
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
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

// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph: kernel nodes added to a graph one by one, in a line or forking to four and joining;
// their arguments can be replaced, all at once or node by node.
#include "graphs.cuh"

namespace parity::launch {
namespace {

class NodeGraph : public cuda::NativeGraph {
 public:
  NodeGraph(cudaStream_t stream, const Problem& p, int count, const Work& work)
      : NativeGraph(stream), grid_(unsigned(p.blocks)), block_(unsigned(p.threads)), event_(work, 0) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    Call branch(Work(), 0);
    const auto add = [&](Call& call, const std::vector<cudaGraphNode_t>& after) {
      return cuda::add_kernel(graph_, call.function(), grid_, block_, call.arguments(), after);
    };
    std::vector<cudaGraphNode_t> last;
    for (int k = 0; k < count; ++k) {
      if (p.topology == Topology::fork)
        last = {add(branch, last), add(branch, last), add(branch, last), add(branch, last)};
      events_.push_back(add(event_, last));
      last = {events_.back()};
    }
  }
  void update_node_from(const runtime::Graph& other, int event) override {
    const Call& call = static_cast<const NodeGraph&>(other).event_;
    set_kernel(events_.at(std::size_t(event)),
               cuda::kernel_parameters(call.function(), grid_, block_, call.arguments()));
  }

 private:
  dim3 grid_, block_;
  Call event_;
  std::vector<cudaGraphNode_t> events_;
};

}  // namespace

Entry graph_cuda() {
  Entry e = cuda_probe<Graphs<NodeGraph>>(Role::graph);
  e.kernels = true;
  e.forks = true;
  e.updates = true;
  return e;
}

}  // namespace parity::launch

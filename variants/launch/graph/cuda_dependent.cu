// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-dependent: kernel nodes of a graph in a line whose edges are programmatic. Each kernel
// lets the next node start at once, and waits for the one before it only where its work begins.
#include "backend/cuda/launch/dependent.cuh"
#include "graphs.cuh"

namespace parity::launch {

#if CUDART_VERSION >= 12030
namespace {

class DependentGraph : public cuda::NativeGraph {
 public:
  DependentGraph(cudaStream_t stream, const Problem& p, int count, const Work& work) : NativeGraph(stream) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    Work w = work;
    void* arguments[] = {&w};
    const void* function = reinterpret_cast<const void*>(dependent_nothing<>);
    with_kind(work.kind,
              [&](auto kind) { function = reinterpret_cast<const void*>(dependent_work<kind()>); });
    cudaGraphNode_t last{};
    for (int k = 0; k < count; ++k) {
      const cudaGraphNode_t node =
          cuda::add_kernel(graph_, function, dim3(unsigned(p.blocks)), dim3(unsigned(p.threads)), arguments);
      if (last) let_start_early(last, node);
      last = node;
    }
  }

 private:
  /// The second node may start when every block of the first one has let it, instead of when it is over.
  void let_start_early(cudaGraphNode_t first, cudaGraphNode_t second) {
    cudaGraphEdgeData edge{};
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
#if CUDART_VERSION >= 13000
    PARITY_CUDA(cudaGraphAddDependencies(graph_, &first, &second, &edge, 1));
#else
    PARITY_CUDA(cudaGraphAddDependencies_v2(graph_, &first, &second, &edge, 1));
#endif
  }
};

}  // namespace

Entry graph_cuda_dependent() {
  Entry e = cuda_probe<Graphs<DependentGraph>>(Role::graph);
  e.kernels = true;
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (const auto why = cuda::why_old_driver(12030, "programmatic edges of graphs")) return why;
    return why_not_dependent(p);
  };
  return e;
}
#else
Entry graph_cuda_dependent() {
  return cannot(Role::graph, "programmatic edges of graphs need CUDA 12.3 or newer");
}
#endif

}  // namespace parity::launch

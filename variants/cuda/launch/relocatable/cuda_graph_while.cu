// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-while: a graph whose while node runs one kernel again until the kernel says that it is
// enough.
#include "../cuda_call.cuh"
#include "cuda/runtime/buffer.cuh"
#include "cuda/runtime/native_graph.cuh"

namespace parity::launch {

#if CUDART_VERSION >= 12040
namespace {

__global__ void set_remaining(int* remaining, int count) { *remaining = count; }

template <Kind kind>
__global__ void loop_body(Work work, int* remaining, cudaGraphConditionalHandle handle) {
  const std::int64_t thread = thread_of_grid();
  if constexpr (kind != Kind::none) perform<kind>(work, thread);
  if (thread == 0) cudaGraphSetConditional(handle, --*remaining > 0);
}

class WhileGraph : public cuda::NativeGraph {
 public:
  WhileGraph(cudaStream_t stream, const Problem& p, int count, const Work& work)
      : NativeGraph(stream), remaining_(1) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    cudaGraphConditionalHandle handle{};
    PARITY_CUDA(cudaGraphConditionalHandleCreate(&handle, graph_, 1, cudaGraphCondAssignDefault));
    int* remaining = remaining_.data();
    void* first_arguments[] = {&remaining, &count};
    const cudaGraphNode_t first = cuda::add_kernel(graph_, reinterpret_cast<const void*>(set_remaining),
                                                   dim3(1), dim3(1), first_arguments);
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node{};
#if CUDART_VERSION >= 13000
    PARITY_CUDA(cudaGraphAddNode(&node, graph_, &first, nullptr, 1, &loop));
#else
    PARITY_CUDA(cudaGraphAddNode(&node, graph_, &first, 1, &loop));
#endif
    Work w = work;
    void* arguments[] = {&w, &remaining, &handle};
    cuda::add_kernel(loop.conditional.phGraph_out[0],
                     work.kind == Kind::none ? reinterpret_cast<const void*>(loop_body<Kind::none>)
                                             : reinterpret_cast<const void*>(loop_body<Kind::wait>),
                     dim3(unsigned(p.blocks)), dim3(unsigned(p.threads)), arguments);
  }

 private:
  cuda::Buffer<int> remaining_;
};

class GraphWhile : public GraphProbe<CudaProbe> {
 public:
  using GraphProbe<CudaProbe>::GraphProbe;
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return std::make_unique<WhileGraph>(stream_, p_, count, work);
  }
};

}  // namespace

Entry cuda_graph_while() {
  Entry e = cuda_probe<GraphWhile>(Role::graph);
  e.kernels_of = nobody_can_say;  // passes of a conditional node
  return e;
}
#else
Entry cuda_graph_while() { return cannot(Role::graph, "conditional graph nodes need CUDA 12.4 or newer"); }
#endif

}  // namespace parity::launch

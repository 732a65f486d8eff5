// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-while: a graph whose while node runs one kernel again until the kernel says that it is
// enough.
#include "../cuda_call.cuh"

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

class WhileGraph : public study::Recording {
 public:
  WhileGraph(cudaStream_t stream, const Problem& p, int count, const Work& work) : stream_(stream) {
    PARITY_CUDA(cudaMalloc(&remaining_, sizeof(int)));
    PARITY_CUDA(cudaGraphCreate(&graph_, 0));
    PARITY_CUDA(cudaGraphConditionalHandleCreate(&handle_, graph_, 1, cudaGraphCondAssignDefault));
    void* first_arguments[] = {&remaining_, &count};
    const cudaGraphNode_t first = add_kernel(graph_, reinterpret_cast<const void*>(set_remaining), dim3(1),
                                             dim3(1), first_arguments, {});
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle_;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node{};
#if CUDART_VERSION >= 13000
    PARITY_CUDA(cudaGraphAddNode(&node, graph_, &first, nullptr, 1, &loop));
#else
    PARITY_CUDA(cudaGraphAddNode(&node, graph_, &first, 1, &loop));
#endif
    Work w = work;
    void* arguments[] = {&w, &remaining_, &handle_};
    add_kernel(loop.conditional.phGraph_out[0],
               work.kind == Kind::none ? reinterpret_cast<const void*>(loop_body<Kind::none>)
                                       : reinterpret_cast<const void*>(loop_body<Kind::wait>),
               dim3(unsigned(p.blocks)), dim3(unsigned(p.threads)), arguments, {});
  }
  ~WhileGraph() override {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
    cudaFree(remaining_);
  }
  void instantiate() override { PARITY_CUDA(cudaGraphInstantiateWithFlags(&exec_, graph_, 0)); }
  void upload() override { PARITY_CUDA(cudaGraphUpload(exec_, stream_)); }
  void submit() override { PARITY_CUDA(cudaGraphLaunch(exec_, stream_)); }
  void become(const study::Recording&) override { throw std::logic_error("not for the launch study"); }

 private:
  static cudaGraphNode_t add_kernel(cudaGraph_t graph, const void* function, dim3 grid, dim3 block,
                                    void** arguments, const std::vector<cudaGraphNode_t>& after) {
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(function);
    parameters.gridDim = grid;
    parameters.blockDim = block;
    parameters.kernelParams = arguments;
    cudaGraphNode_t added{};
    PARITY_CUDA(cudaGraphAddKernelNode(&added, graph, after.data(), after.size(), &parameters));
    return added;
  }
  cudaStream_t stream_;
  int* remaining_ = nullptr;
  cudaGraph_t graph_{};
  cudaGraphExec_t exec_{};
  cudaGraphConditionalHandle handle_{};
};

class GraphWhile : public RecordedProbe<CudaProbe> {
 public:
  using RecordedProbe<CudaProbe>::RecordedProbe;
  std::unique_ptr<study::Recording> record(int count, const Work& work) override {
    return std::make_unique<WhileGraph>(stream_, p_, count, work);
  }
};

}  // namespace

Entry cuda_graph_while() { return cuda_probe<GraphWhile>(Role::graph); }
#else
Entry cuda_graph_while() { return cannot(Role::graph, "conditional graph nodes need CUDA 12.4 or newer"); }
#endif

}  // namespace parity::launch

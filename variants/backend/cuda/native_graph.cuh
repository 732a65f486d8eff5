// SPDX-License-Identifier: BSD-3-Clause
// runtime::Graph implemented by a CUDA graph.
#pragma once
#include <vector>

#include "check.cuh"
#include "owned.cuh"
#include "runtime/graph.hpp"

namespace parity::cuda {

/// Derived classes fill graph_.
class NativeGraph : public runtime::Graph {
 public:
  explicit NativeGraph(cudaStream_t stream, unsigned instantiation_flags = 0)
      : stream_(stream), flags_(instantiation_flags) {}
  void instantiate() override { PARITY_CUDA(cudaGraphInstantiateWithFlags(exec_.put(), graph_, flags_)); }
  void upload() override { PARITY_CUDA(cudaGraphUpload(exec_, stream_)); }
  void launch() override { PARITY_CUDA(cudaGraphLaunch(exec_, stream_)); }
  void update_from(const runtime::Graph& other) override {
    const cudaGraph_t graph = static_cast<const NativeGraph&>(other).graph_;
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo result{};
    PARITY_CUDA(cudaGraphExecUpdate(exec_, graph, &result));
#else
    cudaGraphNode_t refused{};
    cudaGraphExecUpdateResult result{};
    PARITY_CUDA(cudaGraphExecUpdate(exec_, graph, &refused, &result));
#endif
  }

 protected:
  /// Sets a kernel node's parameters in the executable graph.
  void set_kernel(cudaGraphNode_t node, const cudaKernelNodeParams& parameters) {
    PARITY_CUDA(cudaGraphExecKernelNodeSetParams(exec_, node, &parameters));
  }

  cudaStream_t stream_;
  OwnedGraph graph_;

 private:
  unsigned flags_;
  OwnedGraphExec exec_;
};

/// The node parameters of a kernel.
inline cudaKernelNodeParams kernel_parameters(const void* function, dim3 grid, dim3 block, void** arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(function);
  parameters.gridDim = grid;
  parameters.blockDim = block;
  parameters.kernelParams = arguments;
  return parameters;
}

/// Adds a kernel to a graph, after the nodes in 'after'.
inline cudaGraphNode_t add_kernel(cudaGraph_t graph, const void* function, dim3 grid, dim3 block,
                                  void** arguments, const std::vector<cudaGraphNode_t>& after = {}) {
  const cudaKernelNodeParams parameters = kernel_parameters(function, grid, block, arguments);
  cudaGraphNode_t added{};
  PARITY_CUDA(cudaGraphAddKernelNode(&added, graph, after.data(), after.size(), &parameters));
  return added;
}

}  // namespace parity::cuda

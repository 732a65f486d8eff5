// SPDX-License-Identifier: BSD-3-Clause
// A conditional node of a CUDA graph that repeats its body a given number of times, counted on the device.
// Needs relocatable code, because the device runtime decides on the next pass.
#pragma once
#include "native_graph.cuh"

#define PARITY_HAS_WHILE_NODES (CUDART_VERSION >= 12040)

#if PARITY_HAS_WHILE_NODES
namespace parity::cuda {

/// The pass counter that a kernel of the body decrements.
struct PassCounter {
  int* left;
  cudaGraphConditionalHandle handle;
  /// One thread of one kernel calls it in each pass.
  __device__ void count_pass() const { cudaGraphSetConditional(handle, --*left > 0); }
};

template <int = 0>
__global__ void set_passes(int* left, int passes) {
  *left = passes;
}

/// A while node, after a kernel that sets the counter in every launch of the graph.
class WhileNode {
 public:
  /// passes: 1 or more. left: the counter, device memory that lives as long as the graph; graphs that run one
  /// after the other can share it.
  WhileNode(cudaGraph_t graph, int passes, int* left) : left_(left) {
    PARITY_CUDA(cudaGraphConditionalHandleCreate(&handle_, graph, 1, cudaGraphCondAssignDefault));
    void* arguments[] = {&left, &passes};
    const cudaGraphNode_t first =
        add_kernel(graph, reinterpret_cast<const void*>(set_passes<>), dim3(1), dim3(1), arguments);
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle_;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
#if CUDART_VERSION >= 13000
    PARITY_CUDA(cudaGraphAddNode(&node_, graph, &first, nullptr, 1, &loop));
#else
    PARITY_CUDA(cudaGraphAddNode(&node_, graph, &first, 1, &loop));
#endif
    body_ = loop.conditional.phGraph_out[0];
  }
  cudaGraphNode_t node() const { return node_; }
  /// The graph of a pass, empty at first; one of its kernels must call count_pass().
  cudaGraph_t body() const { return body_; }
  PassCounter counter() const { return {left_, handle_}; }

 private:
  int* left_;
  cudaGraphConditionalHandle handle_{};
  cudaGraphNode_t node_{};
  cudaGraph_t body_{};
};

}  // namespace parity::cuda
#endif

// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-empty: kernel nodes with an empty node after each.
#include "node_pairs.cuh"

namespace parity::launch {
namespace {

class Empty {
 public:
  explicit Empty(int) {}
  void begin() { added_ = 0; }
  cudaGraphNode_t add(cudaGraph_t graph, int, cudaGraphNode_t after) {
    cudaGraphNode_t node{};
    PARITY_CUDA(cudaGraphAddEmptyNode(&node, graph, &after, 1));
    cudaGraphNodeType type{};
    PARITY_CUDA(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeEmpty) ++added_;
    return node;
  }
  /// It leaves no mark: all that can be said is that it is in the graph.
  int over() const { return added_; }

 private:
  int added_ = 0;
};

}  // namespace

Entry graph_cuda_empty() { return node_pairs<Empty>(); }

}  // namespace parity::launch

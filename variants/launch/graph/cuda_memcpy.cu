// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-memcpy: kernel nodes with a memcpy node after each, of four bytes of device memory.
#include "marks.cuh"
#include "node_pairs.cuh"

namespace parity::launch {
namespace {

/// The first word is handed on from node to node, so that one which is missing or too early shows.
class Copies {
 public:
  explicit Copies(int events) : words_(events + 1) { words_.set(0); }
  void begin() {}
  cudaGraphNode_t add(cudaGraph_t graph, int event, cudaGraphNode_t after) {
    cudaGraphNode_t node{};
    PARITY_CUDA(cudaGraphAddMemcpyNode1D(&node, graph, &after, 1, words_.word(event + 1), words_.word(event),
                                         sizeof(unsigned), cudaMemcpyDeviceToDevice));
    return node;
  }
  int over() {
    const int copied = words_.count() - 1;
    words_.clear();
    words_.set(0);
    return copied;
  }

 private:
  Marks words_;
};

}  // namespace

Entry graph_cuda_memcpy() { return node_pairs<Copies>(); }

}  // namespace parity::launch

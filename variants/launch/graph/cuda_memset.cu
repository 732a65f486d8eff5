// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-memset: kernel nodes with a memset node after each, of four bytes of device memory.
#include "marks.cuh"
#include "node_pairs.cuh"

namespace parity::launch {
namespace {

class Fills {
 public:
  explicit Fills(int events) : words_(events) {}
  void begin() {}
  cudaGraphNode_t add(cudaGraph_t graph, int event, cudaGraphNode_t after) {
    cudaMemsetParams fill{};
    fill.dst = words_.word(event);
    fill.value = Marks::mark;
    fill.elementSize = sizeof(unsigned);
    fill.width = 1;
    fill.height = 1;
    fill.pitch = sizeof(unsigned);
    cudaGraphNode_t node{};
    PARITY_CUDA(cudaGraphAddMemsetNode(&node, graph, &after, 1, &fill));
    return node;
  }
  int over() {
    const int filled = words_.count();
    words_.clear();
    return filled;
  }

 private:
  Marks words_;
};

}  // namespace

Entry graph_cuda_memset() { return node_pairs<Fills>(); }

}  // namespace parity::launch

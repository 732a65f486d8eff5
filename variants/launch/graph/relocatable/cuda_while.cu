// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-while: a graph whose while node runs one kernel again until the kernel says that it is
// enough.
#include "../graphs.cuh"
#include "backend/cuda/while_node.cuh"

namespace parity::launch {

#if PARITY_HAS_WHILE_NODES
namespace {

template <Kind kind>
__global__ void loop_body(Work work, cuda::PassCounter counter) {
  const std::int64_t thread = thread_of_grid();
  if constexpr (kind != Kind::none) perform<kind>(work, thread);
  if (thread == 0) counter.count_pass();
}

class WhileGraph : public cuda::NativeGraph {
 public:
  WhileGraph(cudaStream_t stream, const Problem& p, int count, const Work& work, int* left)
      : NativeGraph(stream) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    const cuda::WhileNode loop(graph_, count, left);
    add_counting_kernel(loop.body(), loop_body<Kind::none>, loop_body<Kind::wait>, p, work, loop.counter());
  }
};

}  // namespace

Entry graph_cuda_while() {
  Entry e = cuda_probe<CountingGraphs<WhileGraph>>(Role::graph);
  e.refuse = [](const Problem&) { return runtime::why_no_loops(); };
  return e;
}
#else
Entry graph_cuda_while() { return cannot(Role::graph, runtime::why_no_loops()->c_str()); }
#endif

}  // namespace parity::launch

// SPDX-License-Identifier: BSD-3-Clause
#include "backend/cuda/architecture.cuh"
#include "backend/cuda/buffer.cuh"
#include "backend/cuda/capture.cuh"
#include "backend/cuda/while_node.cuh"

namespace parity::runtime {

#if PARITY_HAS_WHILE_NODES
namespace {

__global__ void end_of_pass(cuda::PassCounter counter) { counter.count_pass(); }

class LoopGraph : public cuda::CapturedGraph {
 public:
  LoopGraph(cudaStream_t stream, int passes, const std::function<void()>& body,
            const std::function<void()>& rest)
      : CapturedGraph(stream), left_(1) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    cudaGraphNode_t last = nullptr;
    if (passes > 0) {
      const cuda::WhileNode loop(graph_, passes, left_.data());
      add(loop.body(), nullptr, [&] {
        body();
        end_of_pass<<<1, 1, 0, stream_>>>(loop.counter());
        PARITY_CUDA(cudaGetLastError());
      });
      last = loop.node();
    }
    add(graph_, last, rest);
  }

 private:
  /// Adds the captured launches to a graph, after the node 'after' if it is not null.
  void add(cudaGraph_t graph, cudaGraphNode_t after, const std::function<void()>& launches) {
    PARITY_CUDA(cudaStreamBeginCaptureToGraph(stream_, graph, after ? &after : nullptr, nullptr,
                                              after ? 1 : 0, cudaStreamCaptureModeThreadLocal));
    cuda::finish_capture(stream_, launches, &graph);
  }

  cuda::Buffer<int> left_;
};

}  // namespace

std::unique_ptr<Graph> capture_loop(void* stream, std::int64_t passes, const std::function<void()>& body,
                                    const std::function<void()>& rest) {
  return std::make_unique<LoopGraph>(static_cast<cudaStream_t>(stream), int(passes), body, rest);
}
std::optional<std::string> why_no_loops() { return cuda::why_old_driver(12040, "conditional graph nodes"); }
#else
std::unique_ptr<Graph> capture_loop(void*, std::int64_t, const std::function<void()>&,
                                    const std::function<void()>&) {
  throw std::logic_error("no conditional graph nodes in this build");
}
std::optional<std::string> why_no_loops() { return "conditional graph nodes need CUDA 12.4 or newer"; }
#endif

}  // namespace parity::runtime

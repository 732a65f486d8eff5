// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/graph.hpp"

#include "cuda/check.cuh"

namespace parity::cuda {
namespace {

class CapturedGraph : public study::Recording {
 public:
  CapturedGraph(cudaStream_t stream, const std::function<void()>& launches) : stream_(stream) {
    PARITY_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    try {
      launches();
    } catch (...) {
      // The stream must not stay in capture mode.
      cudaStreamEndCapture(stream_, &graph_);
      if (graph_) cudaGraphDestroy(graph_);
      cudaGetLastError();
      throw;
    }
    PARITY_CUDA(cudaStreamEndCapture(stream_, &graph_));
  }
  ~CapturedGraph() override {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  void instantiate() override { PARITY_CUDA(cudaGraphInstantiateWithFlags(&exec_, graph_, 0)); }
  void upload() override {
    PARITY_CUDA(cudaGraphUpload(exec_, stream_));
    PARITY_CUDA(cudaStreamSynchronize(stream_));
  }
  void submit() override { PARITY_CUDA(cudaGraphLaunch(exec_, stream_)); }
  void become(const study::Recording& other) override {
    const cudaGraph_t graph = static_cast<const CapturedGraph&>(other).graph_;
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo result{};
    PARITY_CUDA(cudaGraphExecUpdate(exec_, graph, &result));
#else
    cudaGraphNode_t refused{};
    cudaGraphExecUpdateResult result{};
    PARITY_CUDA(cudaGraphExecUpdate(exec_, graph, &refused, &result));
#endif
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_{};
  cudaGraphExec_t exec_{};
};

}  // namespace

std::unique_ptr<study::Recording> capture(void* stream, const std::function<void()>& launches) {
  return std::make_unique<CapturedGraph>(static_cast<cudaStream_t>(stream), launches);
}

}  // namespace parity::cuda

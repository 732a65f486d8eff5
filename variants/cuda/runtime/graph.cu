// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/graph.hpp"

#include "cuda/runtime/native_graph.cuh"

namespace parity::runtime {
namespace {

class CapturedGraph : public cuda::NativeGraph {
 public:
  CapturedGraph(cudaStream_t stream, const std::function<void()>& launches) : NativeGraph(stream) {
    PARITY_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    try {
      launches();
    } catch (...) {
      // The stream must not stay in capture mode.
      cudaStreamEndCapture(stream_, graph_.put());
      cudaGetLastError();
      throw;
    }
    PARITY_CUDA(cudaStreamEndCapture(stream_, graph_.put()));
  }
  void upload() override {
    NativeGraph::upload();
    PARITY_CUDA(cudaStreamSynchronize(stream_));
  }
};

}  // namespace

std::unique_ptr<Graph> capture(void* stream, const std::function<void()>& launches) {
  return std::make_unique<CapturedGraph>(static_cast<cudaStream_t>(stream), launches);
}

}  // namespace parity::runtime

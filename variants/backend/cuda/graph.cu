// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/graph.hpp"

#include "capture.cuh"

namespace parity::runtime {
namespace {

class LineOfLaunches : public cuda::CapturedGraph {
 public:
  LineOfLaunches(cudaStream_t stream, const std::function<void()>& launches) : CapturedGraph(stream) {
    PARITY_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cuda::finish_capture(stream_, launches, graph_.put());
  }
};

}  // namespace

std::unique_ptr<Graph> capture(void* stream, const std::function<void()>& launches) {
  return std::make_unique<LineOfLaunches>(static_cast<cudaStream_t>(stream), launches);
}

}  // namespace parity::runtime

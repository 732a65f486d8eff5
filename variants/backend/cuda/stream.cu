// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/stream.hpp"

#include "native_graph.cuh"
#include "runtime/stream_wait.hpp"

namespace parity::runtime {

std::optional<std::string> why_no_cuda() { return std::nullopt; }

Stream::Stream(bool wanted) {
  if (!wanted) return;
  cudaStream_t stream{};
  PARITY_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stream_ = stream;
}
Stream::~Stream() {
  if (stream_) cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

void wait_for_stream(void* stream) {
  if (stream) PARITY_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
}

void let_stream_wait(void* later, void* earlier) {
  if (!earlier) return;
  cuda::OwnedEvent there;
  PARITY_CUDA(cudaEventCreateWithFlags(there.put(), cudaEventDisableTiming));
  PARITY_CUDA(cudaEventRecord(there, static_cast<cudaStream_t>(earlier)));
  PARITY_CUDA(cudaStreamWaitEvent(static_cast<cudaStream_t>(later), there, 0));
}

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

// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/stream.hpp"

#include "check.cuh"
#include "owned.cuh"

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

void let_stream_wait(void* later, void* earlier) {
  if (!earlier) return;
  cuda::OwnedEvent there;
  PARITY_CUDA(cudaEventCreateWithFlags(there.put(), cudaEventDisableTiming));
  PARITY_CUDA(cudaEventRecord(there, static_cast<cudaStream_t>(earlier)));
  PARITY_CUDA(cudaStreamWaitEvent(static_cast<cudaStream_t>(later), there, 0));
}

}  // namespace parity::runtime

// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/stream.hpp"

#include "cuda/runtime/check.cuh"

namespace parity::runtime {

Stream::Stream(bool wanted) {
  if (!wanted) return;
  cudaStream_t stream{};
  PARITY_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stream_ = stream;
}
Stream::~Stream() {
  if (stream_) cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

}  // namespace parity::runtime

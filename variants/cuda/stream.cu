// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stream.hpp"

#include "cuda/check.cuh"

namespace parity::cuda {

Stream::Stream(bool wanted) {
  if (!wanted) return;
  cudaStream_t stream{};
  PARITY_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stream_ = stream;
}
Stream::~Stream() {
  if (stream_) cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

}  // namespace parity::cuda

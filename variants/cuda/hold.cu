// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/hold.hpp"

#include "cuda/check.cuh"
#include "study/error.hpp"

namespace parity::cuda {
namespace {

/// Nanoseconds since some time, on every device.
__device__ unsigned long long nanoseconds_now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__global__ void wait_for_latch(volatile int* latch, unsigned long long limit) {
  const unsigned long long start = nanoseconds_now();
  while (latch[0] == 0)
    if (nanoseconds_now() - start > limit) {
      latch[1] = 1;
      break;
    }
}

}  // namespace

Hold::Hold(void* stream, double limit_seconds) : stream_(stream) {
  PARITY_CUDA(cudaHostAlloc(reinterpret_cast<void**>(&latch_), 2 * sizeof(int), cudaHostAllocMapped));
  latch_[0] = latch_[1] = 0;
  int* seen = nullptr;
  PARITY_CUDA(cudaHostGetDevicePointer(reinterpret_cast<void**>(&seen), latch_, 0));
  wait_for_latch<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(seen,
                                                                 (unsigned long long)(limit_seconds * 1e9));
  PARITY_CUDA(cudaGetLastError());
}

Hold::~Hold() {
  if (!latch_) return;
  static_cast<volatile int*>(latch_)[0] = 1;
  cudaStreamSynchronize(static_cast<cudaStream_t>(stream_));
  cudaFreeHost(latch_);
}

void Hold::release() {
  volatile int* const latch = latch_;
  const bool expired = latch[1] != 0;
  latch[0] = 1;
  if (expired)
    throw study::CannotRunError(
        "the held stream was let go by its watchdog: launching waits for what is in the queue already, so "
        "the "
        "device's time cannot be told from the host's; reduce --argument-bytes or --launches");
}

}  // namespace parity::cuda

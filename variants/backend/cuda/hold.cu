// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hold.hpp"

#include "check.cuh"
#include "runtime/error.hpp"

namespace parity::runtime {
namespace {

/// Nanoseconds of the device's global timer.
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

/// Host memory that the kernel reads and writes: [0] released, [1] watchdog.
class Hold::Latch {
 public:
  explicit Latch(cudaStream_t stream) : stream_(stream) {
    PARITY_CUDA(cudaHostAlloc(reinterpret_cast<void**>(&words_), 2 * sizeof(int), cudaHostAllocMapped));
    words_[0] = words_[1] = 0;
  }
  /// Releases the kernel, which must end before its memory is freed.
  ~Latch() {
    word(0) = 1;
    cudaStreamSynchronize(stream_);
    cudaFreeHost(words_);
  }
  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;
  void close(double limit_seconds) {
    int* seen = nullptr;
    PARITY_CUDA(cudaHostGetDevicePointer(reinterpret_cast<void**>(&seen), words_, 0));
    wait_for_latch<<<1, 1, 0, stream_>>>(seen, (unsigned long long)(limit_seconds * 1e9));
    PARITY_CUDA(cudaGetLastError());
  }
  volatile int& word(int k) { return static_cast<volatile int*>(words_)[k]; }

 private:
  cudaStream_t stream_;
  int* words_ = nullptr;
};

Hold::Hold(void* stream, double limit_seconds)
    : latch_(std::make_unique<Latch>(static_cast<cudaStream_t>(stream))) {
  latch_->close(limit_seconds);
}
Hold::~Hold() = default;

void Hold::release() {
  const bool expired = latch_->word(1) != 0;
  latch_->word(0) = 1;
  if (expired)
    throw CannotRunError(
        "the held stream was let go by its watchdog: launching waits for what is in the queue already, so "
        "the device's time cannot be told from the host's; reduce --argument-bytes or --launches");
}

}  // namespace parity::runtime

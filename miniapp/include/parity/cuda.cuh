// SPDX-License-Identifier: BSD-3-Clause
// Versions in CUDA, for .cu files: run() launches on 'stream'.
#pragma once
#include <cuda_runtime.h>

#include "parity/pointers.hpp"
#include "runtime/clock.hpp"
#include "runtime/stream.hpp"

namespace parity::cuda {

template <class P, class T>
class Version : public detail::Pointers<P, T, Version<P, T>> {
  runtime::Stream own_;
  std::unique_ptr<runtime::DeviceClock> clock_;

 public:
  const cudaStream_t stream = static_cast<cudaStream_t>(own_.get());

  static constexpr const char* backend = "cuda";
  static constexpr bool has_stream = true;
  void check(cudaError_t status) const {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // otherwise the next check would report this error
    if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
    if (cudaDeviceSynchronize() != cudaSuccess) throw DeviceLost(cudaGetErrorString(status));
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
  }
  void wait() {
    check(cudaGetLastError());
    check(cudaStreamSynchronize(stream));
    check(cudaDeviceSynchronize());  // so that a launch without 'stream' is timed, too
  }
  runtime::DeviceClock* clock() {
    if (!clock_) clock_ = runtime::make_clock(stream);
    return clock_.get();
  }
  template <class Launch>
  std::unique_ptr<runtime::Graph> graph_of(Mechanism, const Launch& launch) {
    return runtime::capture(stream, [&] { this->at_once(launch); });
  }
  std::shared_ptr<void> allocate(std::size_t bytes) {
    void* values = nullptr;
    check(cudaMalloc(&values, bytes));
    return {values, cudaFree};
  }
  void poison(void* values, std::size_t bytes) { check(cudaMemsetAsync(values, 0xff, bytes, stream)); }
  void copy_in(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
  }
  void copy_out(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
    wait();
  }
};

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Handles of the CUDA runtime with an owner, so that a constructor that throws leaks nothing.
#pragma once
#include <cuda_runtime.h>

#include <utility>

namespace parity::cuda {

/// A handle that is destroyed with its owner.
template <class Handle, cudaError_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { reset(); }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  operator Handle() const { return handle_; }
  /// Where a function of CUDA writes a new handle.
  Handle* put() {
    reset();
    return &handle_;
  }

 private:
  void reset() {
    if (handle_) destroy(std::exchange(handle_, Handle{}));
  }
  Handle handle_{};
};

using OwnedEvent = Owned<cudaEvent_t, cudaEventDestroy>;
using OwnedGraph = Owned<cudaGraph_t, cudaGraphDestroy>;
using OwnedGraphExec = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;
using OwnedStream = Owned<cudaStream_t, cudaStreamDestroy>;

}  // namespace parity::cuda

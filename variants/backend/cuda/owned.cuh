// SPDX-License-Identifier: BSD-3-Clause
// Owning wrappers of CUDA runtime handles, so that a constructor that throws leaks nothing.
#pragma once
#include <cuda_runtime.h>

#include <utility>

namespace parity::cuda {

/// Destroys its handle in the destructor.
template <class Handle, cudaError_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { reset(); }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  operator Handle() const { return handle_; }
  /// Destroys the old handle; returns the address to which a CUDA function writes a new one.
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

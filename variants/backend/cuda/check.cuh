// SPDX-License-Identifier: BSD-3-Clause
// Turns a CUDA error into an exception that says where it happened.
#pragma once
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace parity::cuda {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // or whoever asks next would be blamed for it
  throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

}  // namespace parity::cuda

#define PARITY_CUDA(call) ::parity::cuda::check((call), #call)

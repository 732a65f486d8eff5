// SPDX-License-Identifier: BSD-3-Clause
// Turns a CUDA error into an exception that names the failed call.
#pragma once
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace parity::cuda {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // resets it, so that the next check does not report it again
  throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

}  // namespace parity::cuda

#define PARITY_CUDA(call) ::parity::cuda::check((call), #call)

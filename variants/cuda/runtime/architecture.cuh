// SPDX-License-Identifier: BSD-3-Clause
// Whether a kernel whose body is written for newer devices only has that body here.
#pragma once
#include <optional>
#include <string>

#include "cuda/runtime/current_device.cuh"

namespace parity::cuda {

/// Why a kernel for compute capability 9.0 cannot run: an older device, or code compiled for an older one,
/// which a new device runs with an empty body. feature: what it needs the capability for, in the plural.
template <class Kernel>
std::optional<std::string> why_not_sm_90(Kernel* kernel, const std::string& feature) {
  if (attribute(cudaDevAttrComputeCapabilityMajor) < 9) return feature + " need compute capability 9.0";
  cudaFuncAttributes compiled{};
  PARITY_CUDA(cudaFuncGetAttributes(&compiled, reinterpret_cast<const void*>(kernel)));
  if (compiled.ptxVersion >= 90) return std::nullopt;
  return feature + " need code for compute capability 9.0, and this build's is for " +
         std::to_string(compiled.ptxVersion / 10) + "." + std::to_string(compiled.ptxVersion % 10) +
         "; build with -DCMAKE_CUDA_ARCHITECTURES=90";
}

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Checks that a kernel written only for newer devices has a body here, and that the driver supports features
// of a newer toolkit.
#pragma once
#include <optional>
#include <string>

#include "current_device.cuh"

namespace parity::cuda {

/// The reason why a kernel for compute capability 9.0 cannot run: an older device, or code for an older one,
/// whose body is empty; nullopt if it can. feature: the feature that needs 9.0, in the plural.
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

/// The reason why the driver is too old for a feature (in the plural) of this toolkit version (in
/// CUDART_VERSION's format); nullopt if it is not.
inline std::optional<std::string> why_old_driver(int toolkit, const std::string& feature) {
  int driver = 0;
  PARITY_CUDA(cudaDriverGetVersion(&driver));
  if (driver >= toolkit) return std::nullopt;
  const auto text = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  return feature + " need a driver for CUDA " + text(toolkit) + " or newer, and this one is for " +
         text(driver);
}

}  // namespace parity::cuda

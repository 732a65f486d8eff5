// SPDX-License-Identifier: BSD-3-Clause
// The current device, its attributes, and a scope that restores it.
#pragma once
#include "check.cuh"

namespace parity::cuda {

inline int current_device() {
  int id = 0;
  PARITY_CUDA(cudaGetDevice(&id));
  return id;
}

/// An attribute of the current device.
inline int attribute(cudaDeviceAttr which) {
  int value = 0;
  PARITY_CUDA(cudaDeviceGetAttribute(&value, which, current_device()));
  return value;
}

/// On destruction, restores the device that was current at construction.
class KeepDevice {
 public:
  KeepDevice() : before_(current_device()) {}
  ~KeepDevice() { cudaSetDevice(before_); }
  KeepDevice(const KeepDevice&) = delete;
  KeepDevice& operator=(const KeepDevice&) = delete;

 private:
  int before_;
};

}  // namespace parity::cuda

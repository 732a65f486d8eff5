// SPDX-License-Identifier: BSD-3-Clause
// The current device, and its return to what it was.
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

/// Makes the device that was current at its construction current again.
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

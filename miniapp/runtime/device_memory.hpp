// SPDX-License-Identifier: BSD-3-Clause
// Device memory for code that must not include CUDA.
#pragma once
#include <cstdint>

namespace parity::runtime {

/// Memory of the current device, freed with its owner. Throws where there is not enough, and without CUDA.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::int64_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* data() const { return data_; }
  /// From and to the host; complete on return.
  void write(const void* from, std::int64_t bytes);
  void read(void* to, std::int64_t bytes) const;

 private:
  void* data_ = nullptr;
};

}  // namespace parity::runtime

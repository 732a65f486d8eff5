// SPDX-License-Identifier: BSD-3-Clause
// Device memory, page-locked host memory and copies of planes, for code that must not include CUDA.
#pragma once
#include <cstddef>
#include <cstdint>

namespace parity::runtime {

/// Memory of the current device (without native CUDA, of Kokkos), freed with its owner. Throws if it is full.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::int64_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* data() const { return data_; }
  /// write() copies from the host, read() to the host; both are complete on return.
  void write(const void* from, std::int64_t bytes);
  void read(void* to, std::int64_t bytes) const;

 private:
  void* data_ = nullptr;
};

/// Plain host memory; in a build with CUDA page-locked memory if 'for_device' is set, which needs a GPU.
/// Throws std::bad_alloc.
class StagingMemory {
 public:
  StagingMemory(std::size_t bytes, bool for_device);
  ~StagingMemory();
  StagingMemory(const StagingMemory&) = delete;
  StagingMemory& operator=(const StagingMemory&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  bool locked_;
};

/// Layout of planes: the address of the first value, bytes from row to row, rows from plane to plane.
struct Planes {
  void* first;
  std::int64_t pitch_bytes, plane_rows;
};

/// Copies 'planes' x 'rows' x 'row_bytes' bytes between layouts with different margins, within a GPU or
/// between it and the host. Ordered on 'stream'; asynchronous if the host memory is page-locked; without
/// native CUDA complete on return. Throws on a CUDA error.
void copy_planes(const Planes& from, const Planes& to, std::int64_t row_bytes, std::int64_t rows,
                 std::int64_t planes, void* stream);

}  // namespace parity::runtime

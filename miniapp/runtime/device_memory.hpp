// SPDX-License-Identifier: BSD-3-Clause
// Device memory, host memory that a GPU copies from and to at full speed, and copies of planes between them,
// for code that must not include CUDA.
#pragma once
#include <cstddef>
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

/// Page-locked where there is a GPU and 'for_device' is asked for, plain memory elsewhere. Throws
/// std::bad_alloc.
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

/// Where planes lie: the first value, bytes from row to row, rows from plane to plane.
struct Planes {
  void* first;
  std::int64_t pitch_bytes, plane_rows;
};

/// Copies 'planes' x 'rows' x 'row_bytes' bytes between layouts with different margins, on or to or from a
/// GPU, without CUDA on the host; in order with 'stream', complete later where the host's memory is
/// page-locked. Throws where CUDA does.
void copy_planes(const Planes& from, const Planes& to, std::int64_t row_bytes, std::int64_t rows,
                 std::int64_t planes, void* stream);

}  // namespace parity::runtime

// SPDX-License-Identifier: BSD-3-Clause
// Host memory that a GPU copies from and to at full speed.
#pragma once
#include <cstddef>

namespace parity::runtime {

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

}  // namespace parity::runtime

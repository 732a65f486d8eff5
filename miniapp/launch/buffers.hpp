// SPDX-License-Identifier: BSD-3-Clause
// Memory for events that copy or compute, where the variant's memory is, and the check of what they wrote.
#pragma once
#include <memory>

#include "launch/work.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/host_array.hpp"

namespace parity::launch {

class Buffers {
 public:
  /// Two arrays of 'words' words; check_memory() says beforehand whether they fit.
  Buffers(bool on_device, std::int64_t words);
  /// Puts the kind's input in place and poisons the output.
  void fill(Kind kind);
  /// An event of this kind over these arrays; 'rounds' for the kinds that compute.
  Work work(Kind kind, int rounds = 0) const;
  /// Largest relative deviation of the output from what the kind must have written in 'words' words; infinite
  /// for NaN.
  double error(Kind kind, std::int64_t words) const;

 private:
  std::int64_t words_;
  std::unique_ptr<runtime::DeviceMemory> device_;
  std::unique_ptr<runtime::HostArray<float>> host_;
  float* base_ = nullptr;
};

}  // namespace parity::launch

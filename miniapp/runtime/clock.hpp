// SPDX-License-Identifier: BSD-3-Clause
// A device's own clock.
#pragma once
#include <memory>

namespace parity::runtime {

/// Time between two points of a device's own queue, in seconds.
class DeviceClock {
 public:
  virtual ~DeviceClock() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// Valid after the queue was synchronised.
  virtual double seconds() = 0;
};

/// Times a stream (a cudaStream_t) with events. Throws without CUDA.
std::unique_ptr<DeviceClock> make_clock(void* stream);

}  // namespace parity::runtime

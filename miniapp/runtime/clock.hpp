// SPDX-License-Identifier: BSD-3-Clause
// The device clock and the host clock behind all measured times.
#pragma once
#include <memory>

namespace parity::runtime {

/// Time between two points of a device's queue, in seconds.
class DeviceClock {
 public:
  virtual ~DeviceClock() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// Valid once the queue is synchronised.
  virtual double seconds() = 0;
};

/// Times a stream (a cudaStream_t) with events. Throws without CUDA.
std::unique_ptr<DeviceClock> make_clock(void* stream);

// Tests replace the host's clock, so that expected times do not depend on the machine's speed.

/// Seconds of the steady clock.
double host_seconds();
inline double host_seconds_since(double start) { return host_seconds() - start; }

/// Replaces the clock behind host_seconds() during its lifetime.
class ReplacedHostClock {
 public:
  explicit ReplacedHostClock(double (*seconds)());
  ~ReplacedHostClock();
  ReplacedHostClock(const ReplacedHostClock&) = delete;
  ReplacedHostClock& operator=(const ReplacedHostClock&) = delete;
};

/// Involuntary context switches of this process so far; 0 while the clock is replaced.
double preemptions();

}  // namespace parity::runtime

// SPDX-License-Identifier: BSD-3-Clause
// A device's own clock, and the host's, that everything is timed with.
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

// Tests put a clock of their own in place of the host's, so that what they expect of a timing does not depend
// on how fast a machine is.

/// Seconds of the steady clock.
double host_seconds();
inline double host_seconds_since(double start) { return host_seconds() - start; }

/// Where host_seconds() takes them from, for the lifetime of this object.
class ReplacedHostClock {
 public:
  explicit ReplacedHostClock(double (*seconds)());
  ~ReplacedHostClock();
  ReplacedHostClock(const ReplacedHostClock&) = delete;
  ReplacedHostClock& operator=(const ReplacedHostClock&) = delete;
};

/// How often the system has taken a processor from a thread of this process that wanted to go on; 0 while
/// the clock is replaced.
double preemptions();

}  // namespace parity::runtime

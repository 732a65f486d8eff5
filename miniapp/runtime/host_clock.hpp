// SPDX-License-Identifier: BSD-3-Clause
// The host's clock that everything is timed with. Tests put a clock of their own in its place, so that what
// they expect of a timing does not depend on how fast a machine is.
#pragma once

namespace parity::runtime {

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

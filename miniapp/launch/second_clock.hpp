// SPDX-License-Identifier: BSD-3-Clause
// A second host clock, apart from the one that samples are timed with: what checks a quantity reads this one,
// and so do the waits that are injected into what is measured.
#pragma once
#include <time.h>

#include <cstdint>

namespace parity::launch {

/// Nanoseconds of the counter that no time service slews; not the steady clock that samples are timed with.
inline std::int64_t raw_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return std::int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

/// The same in seconds, or what a test puts in its place.
double second_clock();
/// Returns after 'seconds' of it; at once for none.
void wait_on_second_clock(double seconds);
/// Seconds that two readings one after the other lie apart here: the median of some.
double second_clock_reading();

/// Where second_clock() reads, for the lifetime of this object.
class ReplacedSecondClock {
 public:
  explicit ReplacedSecondClock(double (*seconds)());
  ~ReplacedSecondClock();
  ReplacedSecondClock(const ReplacedSecondClock&) = delete;
  ReplacedSecondClock& operator=(const ReplacedSecondClock&) = delete;
};

}  // namespace parity::launch

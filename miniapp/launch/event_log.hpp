// SPDX-License-Identifier: BSD-3-Clause
// Where events stamp their own beginning and end, on the clock of where they run, in memory that the host
// reads without a call that waits. Only events of small counts, apart from timed samples, have one.
#pragma once
#include <cstdint>

#include "host_device.hpp"
#include "launch/second_clock.hpp"

namespace parity::launch {

/// Nanoseconds: a GPU's globaltimer, the host's second clock.
PARITY_INLINE std::int64_t log_ticks_now() {
#if defined(__CUDA_ARCH__)
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return std::int64_t(t);
#else
  return raw_nanoseconds();
#endif
}

/// 0: not yet.
struct Stamp {
  std::int64_t begin, end;
};

/// The first and the last thread of an event stamp apart, so that neither waits for the other. Events of one
/// log run one after the other.
struct EventLog {
  Stamp* stamps[2];   ///< of the first and of the last thread, 'capacity' each; memory that the host reads
  int begun[2];       ///< where the events run
  int capacity;       ///< what begins beyond it is counted by nobody; the host leaves room for twice as many
  std::int64_t last;  ///< index of the last thread

  /// The place of an event that begins now.
  PARITY_INLINE int begin(int who, std::int64_t now) {
    volatile int& counter = begun[who];
    const int place = counter;
    counter = place + 1;
    if (place < capacity) static_cast<volatile Stamp*>(stamps[who])[place].begin = now;
    return place;
  }
  PARITY_INLINE void end(int who, int place) {
    if (place < capacity) static_cast<volatile Stamp*>(stamps[who])[place].end = log_ticks_now();
  }
};

/// One thread's part in an event: nothing without a log, and for threads between the first and the last.
class Stamping {
 public:
  PARITY_INLINE Stamping(EventLog* log, bool first, bool last) : log_(first || last ? log : nullptr) {
    if (!log_) return;
    who_ = first ? 0 : 1;
    place_ = log_->begin(who_, log_ticks_now());
  }
  PARITY_INLINE void end() {
    if (log_) log_->end(who_, place_);
  }

 private:
  EventLog* log_;
  int who_ = 0, place_ = 0;
};

}  // namespace parity::launch

// SPDX-License-Identifier: BSD-3-Clause
// The memory of an event log, and what the host reads in it.
#pragma once
#include <memory>
#include <vector>

#include "launch/event_log.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/staging_memory.hpp"

namespace parity::launch {

/// Seconds on one clock, from some time on.
struct Span {
  double begin = 0, end = 0;
  double seconds() const { return end - begin; }
};

class Logbook {
 public:
  /// For 'events' events, and as many that should not have been, of threads 0 to 'last'.
  Logbook(bool on_device, int events, std::int64_t last);
  /// What a Work carries.
  EventLog* log() const;
  /// Forgets everything; no event may run.
  void clear();
  /// Events whose end can be read now, without waiting for any.
  int over() const;
  /// The first 'over()' events in the order of their beginning, from the first thread to begin to the last to
  /// end.
  std::vector<Span> events() const;
  /// Seconds between two values that the events' clock takes, as far as these stamps show: their greatest
  /// common divisor.
  double resolution() const;

 private:
  const Stamp& stamp(int who, int place) const;
  int capacity_;
  std::int64_t last_;
  runtime::StagingMemory stamps_;
  std::unique_ptr<runtime::DeviceMemory> on_device_;
  EventLog on_host_{};
};

}  // namespace parity::launch

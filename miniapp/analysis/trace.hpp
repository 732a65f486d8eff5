// SPDX-License-Identifier: BSD-3-Clause
// What a traced program did, as 'parity trace' wrote it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/event.hpp"

namespace parity::analysis {

/// Times in seconds after the trace's zero.
struct TracedEvent {
  trace::Kind kind = trace::Kind::loop;
  std::uint32_t name = 0, correlation = 0, stream = 0;
  int thread = 0, device = 0, depth = 0;
  int window = 0;     ///< of those in which everything was recorded
  bool timed = true;  ///< whether the record had its times
  double begin = 0, seconds = 0;
  std::uint64_t bytes = 0;
  double end() const { return begin + seconds; }
  bool on_device() const { return kind >= trace::Kind::kernel; }
  bool is_call() const { return kind >= trace::Kind::launch && kind <= trace::Kind::wait; }
};

struct TracedDevice {
  int index = 0;
  std::string name;  ///< empty where the driver gave none
};

/// A part of the time, where only a share of it was recorded: everything, or only launches counted.
struct Window {
  enum class Of { all, counts, none } of = Of::all;
  double begin = 0, end = 0;  ///< infinite: the program's
};

/// While launches were only counted: one of them begins, or a wait for the device has ended.
struct Tally {
  double time = 0;
  std::uint64_t launches = 0;  ///< of the thread before it, in this window
  int thread = 0;
  int window = 0;  ///< of the trace's windows
  bool wait = false;
};

/// One program from its start to its end, or to where it was killed.
struct Trace {
  std::string program, host, processor;
  std::vector<TracedDevice> devices;
  std::vector<std::string> names;
  std::vector<TracedEvent> events;  ///< in the order of their beginnings; those without times last
  std::uint64_t lost = 0;
  std::uint64_t open = 0;       ///< things that began and never ended
  bool ended = false;           ///< whether its last line is there
  double seconds_an_event = 0;  ///< what recording one takes; 0 where the calibration failed
  /// A launch of a kernel that does nothing, at the program's end: recorded, and with no recording. 0 where
  /// that was not measured.
  double launch_recorded = 0, launch_alone = 0;
  double launch_counted = 0;        ///< the same where launches were only counted
  std::vector<Window> windows;      ///< none where everything was recorded all the time
  std::vector<Tally> tallies;       ///< by threads, and in time's order
  std::vector<std::string> doubts;  ///< what the recorder could not do
  const std::string& name(const TracedEvent& e) const { return names[e.name]; }
  bool has_calls() const;
};

/// The programs of a file, one after the other where one became the next. Throws runtime::UsageError for a
/// missing file, one that is no trace, and a damaged line, which it names; an unfinished last line, as a
/// killed program leaves it, is passed over.
std::vector<Trace> read_trace(const std::string& path);

}  // namespace parity::analysis

// SPDX-License-Identifier: BSD-3-Clause
// What a traced program did, as 'parity trace' wrote it, the steps that it repeats, and what other ways of
// launching would save there.
// What other ways of launching would save in a step is predicted from its own kernel times and the launch
// figures of its device. Every prediction is an interval. It rests on these bounds:
//   a kernel's recorded time is that of a null kernel, which figures have in them, and its own work;
//   a null kernel takes no longer than the interval of two queued ones, nor than the shortest kernel
//   recorded.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/costs.hpp"
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

/// The programs of a file, one after the other where one became the next. Throws runtime::UsageError naming
/// file or line; an unfinished last line, as a killed program leaves it, is passed over.
std::vector<Trace> read_trace(const std::string& path);

/// One operation of a step.
struct Place {
  trace::Kind kind = trace::Kind::launch;
  std::string name;
  std::string call;     ///< the name of the call itself, which may have a label's name
  Figure host, device;  ///< seconds
  Figure before;        ///< the host's own time between the operation before it and this one
  double bytes = 0;     ///< median
  std::uint32_t stream = 0;
  bool labelled = false;    ///< by Kokkos
  std::size_t missing = 0;  ///< repetitions of which the device's record, or its times, are missing
  /// Whether the host waits in it for the device. Of a copy its call's name says so.
  bool waits() const;
  /// Whether CUDA's runtime made it, by a call of the driver's within its own.
  bool of_runtime() const;
};

/// A repeated sequence.
struct Step {
  int thread = 0;
  /// Of the operations in a window in which everything was recorded, the part that is in this sequence.
  std::map<int, double> part_of_window;
  std::vector<Place> places;
  std::size_t repetitions = 0, operations = 0;  ///< operations: of the thread, in all
  /// From one repetition's beginning to the next one's: on the host or on the device, the longer of both.
  Figure wall;
  Figure launching, waiting, copying_calls;     ///< the host's thread in calls
  Figure computing, copying;                    ///< the device busy with kernels, with copies
  std::vector<std::pair<double, double>> when;  ///< each repetition's first and last moment of the host
  std::size_t missing = 0;                      ///< device records that are missing, of 'expected'
  std::size_t expected = 0;
  bool on_device = false;
  /// Places of a kind.
  std::size_t count(trace::Kind kind) const;
};

/// Of so many operations or more; the longest-lasting first; none where nothing repeats.
std::vector<Step> steps_of(const Trace& trace, std::size_t least = 1);

/// How long a step takes while nothing of it is recorded, and its launches are only counted.
struct Pace {
  Figure step;              ///< seconds
  std::size_t samples = 0;  ///< parts of the time that these are the median of
  std::size_t steps = 0;    ///< in them
  bool to_the_end = false;  ///< a part is from the first launch to the end of the next wait for the device
};

/// From the windows in which launches were counted beside those that mostly recorded this step.
std::optional<Pace> undisturbed_pace(const Trace& trace, const Step& step);

/// One way of launching.
struct Way {
  /// "graph", "unrolled graph", "dependent launches", "fused", "fused on chip", "persistent"
  std::string name;
  std::string means;                 ///< in a sentence
  Figure step;                       ///< seconds
  Figure saved;                      ///< seconds a step; below zero: it costs
  std::optional<Figure> pays_after;  ///< repetitions of the step; infinite where it may never
  std::string worth;                 ///< "yes", "perhaps", "no": whether it saves a twentieth of the step
};

/// Advice on one step.
struct StepAdvice {
  Step step;
  std::string refused;  ///< why nothing is predicted; empty: it is
  Figure now;           ///< the step without what recording or counting added
  std::optional<Pace> pace;
  std::vector<Way> ways;
  /// What launching its operations alone takes on other machines, and what a graph and fusion leave of it: a
  /// kernel's own time there is not known.
  struct Elsewhere {
    std::string device;
    Figure stream, graph, fused;
  };
  std::vector<Elsewhere> elsewhere;
  std::string verdict;  ///< one sentence
};

/// machines: figures, of which those with the name of the trace's device are its own.
/// apart: kernels in whose names one of the words is are fused with one another alone; least: see steps_of.
std::vector<StepAdvice> advise(const Trace& trace, const std::vector<LaunchFigures>& machines,
                               const std::vector<std::string>& apart = {}, std::size_t least = 1);

}  // namespace parity::analysis

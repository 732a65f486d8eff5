// SPDX-License-Identifier: BSD-3-Clause
// What a traced program did, as 'parity trace' wrote it, the steps that it repeats, and what other ways of
// launching would save there: played on a GPU, or by a model of a few constants with wide intervals.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/costs.hpp"
#include "tools/trace/event.hpp"

namespace parity::analysis {

/// Times in seconds after the trace's zero.
struct TracedEvent {
  trace::Kind kind = trace::Kind::loop;
  std::uint32_t name = 0, correlation = 0, stream = 0;
  int thread = 0, device = 0;
  int depth = 0;      ///< others of its thread, but for regions, that contain it
  bool timed = true;  ///< whether the record had its times
  double begin = 0, seconds = 0;
  std::uint64_t bytes = 0;
  std::uint32_t blocks = 0, threads = 0;  ///< of a kernel, threads of a block; 0: the trace does not say
  double end() const { return begin + seconds; }
  bool on_device() const { return kind >= trace::Kind::kernel; }
  bool is_call() const { return kind >= trace::Kind::launch && kind <= trace::Kind::wait; }
};

/// How many calls of all threads that wait or copy there had been at a time; on a host loops.
struct Count {
  double time = 0, number = 0;
};

struct TracedDevice {
  int index = 0;
  std::string name;  ///< empty where the driver gave none
};

/// One process from its start to its end, or to where it was killed.
struct Trace {
  std::string file, host, processor;
  std::vector<std::string> arguments;  ///< the program's name, and its command line if the trace has it
  std::string rank;  ///< among processes that were launched together; empty where nobody says so
  std::int64_t process = 0;
  std::vector<TracedDevice> devices;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::uint32_t> numbers;  ///< of the names
  std::vector<TracedEvent> events;    ///< in the order of their beginnings; those without times last
  std::uint64_t lost = 0, open = 0;   ///< events; things that began and never ended
  bool ended = true;                  ///< whether its last line is there
  std::vector<Count> recorded, rest;  ///< while everything was recorded; after that
  std::vector<std::string> doubts;    ///< what the recorder could not do
  std::vector<std::string> unknown;   ///< categories of events that nothing here knows, a few of them
  bool has_calls = false;             ///< of CUDA
  const std::string& name(const TracedEvent& e) const { return names[e.name]; }
  /// The program's name, or its command line as far as the trace has it; empty where it has neither.
  std::string program(bool command_line) const;
  std::uint32_t number_of(const std::string& name);
  /// Launches of all threads, or loops where the trace has no calls.
  bool is_launch(const TracedEvent& e) const;
  double busy_seconds() const;  ///< of the device; on a host of its loops
};

/// Of a file: 'parity trace' and PyTorch write Chrome traces, 'nsys export --type sqlite' a database. Of a
/// folder: of all traces in it. Where a file holds nothing, such as a wrapper script's: of its children's
/// files beside it. Throws runtime::UsageError naming the file; an unfinished trace, as a killed program
/// leaves it, is read to where it ends.
std::vector<Trace> read_traces(const std::string& path);

/// The reader of Nsight Systems' export: a trace a process.
std::vector<Trace> read_nsys(const std::string& path);
/// What every reader ends with: sorts events, nests calls and labels, and joins a call with what the driver
/// does in it.
void finish_trace(Trace& trace);

/// One operation of a step.
struct Place {
  trace::Kind kind = trace::Kind::launch;
  std::string name;
  std::string call;     ///< the name of the call itself, which may have a label's name
  Figure host, device;  ///< seconds
  Figure before;        ///< the host's own time between the operation before it and this one
  double bytes = 0;     ///< median
  std::uint32_t stream = 0;
  std::uint32_t blocks = 0, threads = 0;  ///< of a kernel
  std::string copy;                       ///< the device's name of a copy, which has its direction
  /// Places on other streams, the last of each, that the device never did beside this one. A place that comes
  /// later in the step is one of the step before.
  std::vector<std::size_t> after;
  /// Whether the host waits in it for the device. Of a copy its call's name says so.
  bool waits() const;
};

/// A repeated sequence.
struct Step {
  int thread = 0;
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
  struct Work {
    double times = 0, seconds = 0;  ///< a repetition
  };
  /// Kernels, copies and fills by their names, those in graphs too; on a host loops.
  std::map<std::string, Work> work;
  /// Places of a kind.
  std::size_t count(trace::Kind kind) const;
  std::size_t launches() const;  ///< calls that launch; on a host loops
};

/// Of so many operations or more; the longest-lasting first; none where nothing repeats.
std::vector<Step> steps_of(const Trace& trace, std::size_t least = 1);

/// How long a step takes if nothing records it.
struct Pace {
  enum class From {
    rest,  ///< from the part of the same run that was not recorded
    user   ///< said by the user
  } from = From::rest;
  Figure step;              ///< seconds
  std::size_t samples = 0;  ///< parts of the time that these are the median of
  std::size_t steps = 0;    ///< in them
};

/// None where the trace holds nothing but what was recorded.
std::optional<Pace> undisturbed_pace(const Trace& trace, const Step& step);

/// One way of launching.
struct Way {
  std::string name;                  ///< such as "graph" or "fused on chip"
  std::string means;                 ///< in a sentence
  Figure step;                       ///< seconds
  Figure saved;                      ///< seconds a step; below zero: it costs
  std::optional<Figure> pays_after;  ///< repetitions of the step; infinite where it may never
  std::string worth;                 ///< "yes", "perhaps", "no": whether it saves a twentieth of the step
};

/// Ways that were played on this machine's GPU.
struct Tried {
  Figure replay;                     ///< the step as recorded, here
  double seen = 0, recorded = 0;     ///< seconds of replay and program that are compared
  bool while_recorded = false;       ///< both
  std::string distrust;              ///< why it cannot be trusted; empty: it can
  std::vector<std::string> refused;  ///< ways that could not be played, and why
};

/// Advice on one step.
struct StepAdvice {
  Step step;
  std::string refused;  ///< why nothing is predicted; empty: it is
  Figure now;           ///< the step without what recording added
  std::optional<Pace> pace;
  std::vector<Way> ways;
  std::optional<Tried> tried;  ///< nothing: a model predicts the ways
};

struct AdviceOptions {
  std::vector<std::string> apart;  ///< kernels with one of these words are fused with one another alone
  std::size_t least = 1;           ///< see steps_of
  double step_seconds = 0;         ///< of the longest-lasting step, if the user knows it
};

/// What 'step' is worth to who has 'now'.
Way way_of(const std::string& name, const std::string& means, const Figure& step, const Figure& now);
/// Why there is no advice on a step of a GPU; nothing: there is.
std::optional<std::string> why_no_advice(const Trace& trace, const Step& step);
/// Two launches, one after the other, may be one. apart: see AdviceOptions.
bool may_fuse(const Place& a, const Place& b, const std::vector<std::string>& apart);

std::vector<StepAdvice> advise(const Trace& trace, const AdviceOptions& options);

}  // namespace parity::analysis

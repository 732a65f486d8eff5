// SPDX-License-Identifier: BSD-3-Clause
// A traced program's events as written by 'parity trace', its repeated steps, and the savings of other ways
// of launching: played on a GPU, or from a model with a few constants and wide intervals.
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

/// Times in seconds since the trace's zero.
struct TracedEvent {
  trace::Kind kind = trace::Kind::loop;
  std::uint32_t name = 0, correlation = 0, stream = 0;
  int thread = 0, device = 0;
  int depth = 0;      ///< number of enclosing events of its thread, except regions
  bool timed = true;  ///< false if the record had no times
  double begin = 0, seconds = 0;
  std::uint64_t bytes = 0;
  std::uint32_t blocks = 0, threads = 0;  ///< of a kernel, threads per block; 0 if unknown
  double end() const { return begin + seconds; }
  bool on_device() const { return kind >= trace::Kind::kernel; }
  bool is_call() const { return kind >= trace::Kind::launch && kind <= trace::Kind::wait; }
};

/// Number of calls in all threads that wait or copy up to a time; on a host number of loops.
struct Count {
  double time = 0, number = 0;
};

struct TracedDevice {
  int index = 0;
  std::string name;  ///< empty if the driver gave no name
};

/// One process from its beginning to its end, or until it was killed.
struct Trace {
  std::string file, host, processor;
  std::vector<std::string> arguments;  ///< the program's name, and its command line if the trace has it
  std::string rank;                    ///< among processes launched together; empty if unknown
  std::int64_t process = 0;
  std::vector<TracedDevice> devices;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::uint32_t> numbers;  ///< number of each name
  std::vector<TracedEvent> events;                         ///< sorted by begin; events without times are last
  std::uint64_t lost = 0, open = 0;                        ///< lost events; events that began and never ended
  bool ended = true;                                       ///< true if the trace has its last line
  std::vector<Count> recorded, rest;                       ///< during and after recording
  std::vector<std::string> doubts;                         ///< failures of the recorder
  std::vector<std::string> unknown;  ///< some of the event categories that the reader does not know
  bool has_calls = false;            ///< calls of CUDA
  const std::string& name(const TracedEvent& e) const { return names[e.name]; }
  /// The program's name, or its command line as far as the trace has it; empty if it has neither.
  std::string program(bool command_line) const;
  std::uint32_t number_of(const std::string& name);
  /// True for launches in all threads, or for loops if the trace has no calls.
  bool is_launch(const TracedEvent& e) const;
  double busy_seconds() const;  ///< of the device; on a host of its loops
};

/// Reads a file (Chrome traces of 'parity trace' and PyTorch, databases of 'nsys export --type sqlite'), or
/// all traces in a folder. If a file is empty, such as a wrapper script's, reads the files of its child
/// processes next to it. Reads an unfinished trace, such as a killed program's, up to its end. Throws
/// runtime::UsageError that names the file.
std::vector<Trace> read_traces(const std::string& path);

/// Reads an export of Nsight Systems: one trace per process.
std::vector<Trace> read_nsys(const std::string& path);
/// The last pass of every reader: sorts events, nests calls and labels, and merges a call with the driver's
/// calls in it.
void finish_trace(Trace& trace);

/// One operation of a step.
struct Place {
  trace::Kind kind = trace::Kind::launch;
  std::string name;
  std::string call;     ///< the name of the call itself; 'name' may be a label's
  Figure host, device;  ///< seconds
  Figure before;        ///< the host's own time since the previous operation
  double bytes = 0;     ///< median
  std::uint32_t stream = 0;
  std::uint32_t blocks = 0, threads = 0;  ///< of a kernel
  std::string copy;                       ///< the device's name of a copy, which includes the direction
  /// Places on other streams, the last of each, that always ended before this one began. A later place of the
  /// step refers to the previous step.
  std::vector<std::size_t> after;
  /// True if the host waits in it for the device. For a copy the call's name tells.
  bool waits() const;
};

/// A repeated sequence.
struct Step {
  int thread = 0;
  std::vector<Place> places;
  std::size_t repetitions = 0, operations = 0;  ///< operations: of the thread, in total
  /// From one repetition's beginning to the next one's, on the host or the device, whichever is longer.
  Figure wall;
  Figure launching, waiting, copying_calls;     ///< the host's thread in calls
  Figure computing, copying;                    ///< the device busy with kernels, with copies
  std::vector<std::pair<double, double>> when;  ///< begin and end of each repetition on the host
  std::size_t missing = 0;                      ///< number of missing device records, out of 'expected'
  std::size_t expected = 0;
  bool on_device = false;
  struct Work {
    double times = 0, seconds = 0;  ///< per repetition
  };
  /// Kernels, copies and fills by name, including those in graphs; on a host loops.
  std::map<std::string, Work> work;
  /// Number of places of a kind.
  std::size_t count(trace::Kind kind) const;
  std::size_t launches() const;  ///< calls that launch; on a host loops
};

/// Repeated sequences of at least so many operations, longest total time first; empty if nothing repeats.
std::vector<Step> steps_of(const Trace& trace, std::size_t least = 1);

/// Duration of a step without recording.
struct Pace {
  enum class From {
    rest,  ///< from the unrecorded part of the same run
    user   ///< given by the user
  } from = From::rest;
  Figure step;              ///< seconds
  std::size_t samples = 0;  ///< parts of the time that the median is over
  std::size_t steps = 0;    ///< in these parts
};

/// nullopt if the trace has only a recorded part.
std::optional<Pace> undisturbed_pace(const Trace& trace, const Step& step);

/// One way of launching a step.
struct Way {
  std::string name;                  ///< such as "graph" or "fused on chip"
  std::string means;                 ///< a description, one sentence
  Figure step;                       ///< seconds
  Figure saved;                      ///< seconds per step; negative: a loss
  std::optional<Figure> pays_after;  ///< repetitions of the step; infinite if it may never
  std::string worth;                 ///< "yes", "perhaps", "no": whether it saves 5 % of the step
};

/// Results of playing the ways on this machine's GPU.
struct Tried {
  Figure replay;                     ///< the step as recorded, here
  double seen = 0, recorded = 0;     ///< compared seconds of replay and program
  bool while_recorded = false;       ///< both were recorded during the comparison
  std::string distrust;              ///< the reason for not trusting the replay; empty: trusted
  std::vector<std::string> refused;  ///< ways that could not be played, and the reasons
};

/// Advice on one step.
struct StepAdvice {
  Step step;
  std::string refused;  ///< the reason for predicting nothing; empty if it does
  Figure now;           ///< the step without the overhead of recording
  std::optional<Pace> pace;
  std::vector<Way> ways;
  std::optional<Tried> tried;  ///< nullopt: a model predicts the ways
};

struct AdviceOptions {
  std::vector<std::string> apart;  ///< kernels named with one of these fuse only with each other
  std::size_t least = 1;           ///< see steps_of
  double step_seconds = 0;         ///< duration of the longest-lasting step, if the user knows it
};

/// The way with its savings and worth, if the step takes 'step' instead of 'now'.
Way way_of(const std::string& name, const std::string& means, const Figure& step, const Figure& now);
/// The reason for giving no advice on a GPU's step; nullopt if there is advice.
std::optional<std::string> why_no_advice(const Trace& trace, const Step& step);
/// True if two successive launches can be fused. apart: see AdviceOptions.
bool may_fuse(const Place& a, const Place& b, const std::vector<std::string>& apart);

std::vector<StepAdvice> advise(const Trace& trace, const AdviceOptions& options);

}  // namespace parity::analysis

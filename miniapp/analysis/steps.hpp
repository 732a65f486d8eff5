// SPDX-License-Identifier: BSD-3-Clause
// The sequences that a traced program repeats, such as its time steps, and what it does in them.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace.hpp"
#include "harness/statistics.hpp"

namespace parity::analysis {

/// One thing that a host's thread does: a call, or a loop of Kokkos on the host.
struct Operation {
  const TracedEvent* host = nullptr;
  std::vector<const TracedEvent*> device;  ///< what it started there
  std::string name;                        ///< the kernel's where it is known, and Kokkos' label before that
  bool known = true;                       ///< whether what it started is in the trace
  bool labelled = false;                   ///< whether a label of Kokkos is around it
  std::string call;                        ///< the name of the call itself
};
/// Of the thread with most of them, in order.
std::vector<Operation> operations_of(const Trace& trace);

/// A word for the operation 'number' of a kind; number -1 stands for any of the kind.
int word_for(trace::Kind kind, int number);
/// A period of a sequence of such words.
struct Period {
  std::size_t length = 0;
  std::size_t covered = 0;  ///< words in stretches that repeat with it
};
/// The shortest period, of so many words or more, that covers nearly as much as any does; nothing where too
/// little repeats.
std::optional<Period> period_of(const std::vector<int>& words, std::size_t least = 1);

/// Seconds of a step: the median of its repetitions and an interval of that.
struct Spent {
  double value = 0, low = 0, high = 0;
};

/// One operation of a step.
struct Place {
  trace::Kind kind = trace::Kind::launch;
  std::string name;
  std::string call;    ///< the name of the call itself, which may have a label's name
  Spent host, device;  ///< seconds
  Spent before;        ///< the host's own time between the operation before it and this one
  double bytes = 0;    ///< median
  std::uint32_t stream = 0;
  bool labelled = false;    ///< by Kokkos
  std::size_t missing = 0;  ///< repetitions of which the device's record, or its times, are missing
  /// Whether the host waits in it for the device. Of a copy its call's name says so, since the time in it
  /// depends on what runs before.
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
  /// From one repetition's beginning to the next one's: as the host's thread begins them, as the device does,
  /// and the longer of both. A host that does not wait runs ahead until the device's queue is full.
  Spent host_wall, device_wall, wall;
  Spent launching, waiting, copying_calls;      ///< the host's thread in calls
  Spent computing, copying;                     ///< the device busy with kernels, with copies
  std::vector<std::pair<double, double>> when;  ///< each repetition's first and last moment of the host
  std::size_t missing = 0;                      ///< device records that are missing, of 'expected'
  std::size_t expected = 0;
  bool on_device = false;
  /// Places of a kind.
  std::size_t count(trace::Kind kind) const;
};

/// Of so many operations or more; the longest-lasting first; none where nothing repeats.
std::vector<Step> steps_of(const Trace& trace, std::size_t least = 1);

}  // namespace parity::analysis

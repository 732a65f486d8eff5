// SPDX-License-Identifier: BSD-3-Clause
// One thing that a traced program did, and the words that a trace has for its kind.
#pragma once
#include <cstdint>

namespace parity::trace {

enum class Kind : std::uint8_t {
  loop,          ///< Kokkos::parallel_for
  reduction,     ///< Kokkos::parallel_reduce
  scan,          ///< Kokkos::parallel_scan
  fence,         ///< Kokkos::fence and the fences that Kokkos makes by itself
  deep_copy,     ///< Kokkos::deep_copy
  region,        ///< Kokkos' profiling regions
  launch,        ///< a call that launches a kernel
  graph_launch,  ///< a call that launches a graph
  copy_call,     ///< a call that copies
  set_call,      ///< a call that fills
  wait,          ///< a call that waits for the device
  kernel,        ///< the device: a kernel
  copy,          ///< the device: a copy
  set,           ///< the device: a fill
  graph,         ///< the device: a whole graph
  inner,         ///< a call that another one made: its number (correlation) stands for that one's (bytes)
  tally          ///< while calls are only counted: when one of them began, and how many (bytes) came before
};
constexpr int kinds = 17;
constexpr const char* words_of_kinds[kinds] = {
    "for",      "reduce", "scan",   "fence", "deep_copy", "region", "launch", "graph_launch", "copy_call",
    "set_call", "wait",   "kernel", "copy",  "set",       "graph",  "inner",  "tally"};

/// Times in nanoseconds of the trace's clock.
struct Event {
  std::int64_t begin = 0, end = 0;
  std::uint64_t bytes = 0;        ///< of copies and fills
  std::uint32_t name = 0;         ///< see Recorder::name_of
  std::uint32_t correlation = 0;  ///< what a call and what it started on the device have in common; 0: none
  std::uint32_t stream = 0;
  std::uint16_t device = 0;
  Kind kind = Kind::loop;
  std::uint8_t depth = 0;  ///< other things of the same thread, but for regions, that it lies in
};

}  // namespace parity::trace

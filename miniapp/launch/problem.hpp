// SPDX-License-Identifier: BSD-3-Clause
// What the launch study measures: a quantity, and the shape of what is launched for it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/variant.hpp"
#include "runtime/carrier.hpp"

namespace parity::launch {

/// Wait units spin on the clock (every device), or sleep (the original work's form; compute capability 7.0).
enum class Unit { spin, nanosleep };
const char* name(Unit unit);

/// Whom rank 0 sends a message to: the rank after it, or the last one.
enum class Peer { next, last };

/// Graphs are straight lines of nodes, or forks of four nodes that join again.
enum class Topology { line, fork };

struct Problem {
  std::string quantity = "null-overhead";  ///< see quantity.hpp
  int blocks = 1, threads = 128;           ///< of every launch; their product is the index range of Range
  int argument_bytes = 0;                  ///< kernel arguments, or size of the functor
  int launches = 100;                      ///< events in the longer of two runs: the queue's depth
  int units = 5;                           ///< wait units of an event, where the quantity has work
  int unit_ns = 5000;                      ///< nanoseconds of a unit (asked of nanosleep, calibrated of spin)
  Unit unit = Unit::spin;
  Topology topology = Topology::line;
  int devices = 1;               ///< GPUs of a multi-device launch
  std::int64_t bytes = 1 << 20;  ///< read, and written, by the event of the quantity 'copy'; of a message
  /// Of messages; 0: as many as there are.
  int ranks = 0, nodes = 0;
  Peer peer = Peer::next;
  runtime::Transport messages = runtime::Transport::automatic;

  std::int64_t indices() const { return std::int64_t(blocks) * threads; }
  /// Events in the shorter run.
  int fewer() const { return launches > 10 ? launches / 10 : 1; }
};

/// Sizes of arguments that variants are built for, in bytes: 0 and both sides of 512 B, 4 KB and 32 KB.
const std::vector<int>& argument_sizes();

/// "null-overhead 1x128 x100": the quantity with what bears on it.
std::string describe(const Problem& problem);

}  // namespace parity::launch

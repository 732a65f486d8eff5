// SPDX-License-Identifier: BSD-3-Clause
// Lists of values for the command line and for plans, and the problems they mean.
#pragma once
#include <vector>

#include "launch/problem.hpp"

namespace parity::launch {

/// One list a member of Problem.
struct Axes {
  std::vector<std::string> quantities;
  std::vector<int> blocks, threads, argument_bytes, launches, units, unit_ns;
  std::vector<Unit> unit;
  std::vector<Topology> topologies;
  std::vector<int> devices;
  std::vector<std::int64_t> bytes;
};

/// The product of the axes, as it is.
std::vector<Problem> product(const Axes& axes);

/// In canonical form, each once, in order.
std::vector<Problem> distinct(const std::vector<Problem>& problems);

}  // namespace parity::launch

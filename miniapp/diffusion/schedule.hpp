// SPDX-License-Identifier: BSD-3-Clause
// Turns the steps of a run into launches: one by one, or through graphs that are launched repeatedly.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "diffusion/mechanism.hpp"
#include "runtime/graph.hpp"

namespace parity::diffusion {

/// The operations of a run. Fields 0 and 1 alternate as input and output.
class Launches {
 public:
  virtual ~Launches() = default;
  virtual void step(int from) = 0;  ///< one filter step, from field 'from' into the other one
  virtual void copy_back() = 0;     ///< field 1 into field 0
  virtual void finish(int at) = 0;  ///< updates the halo of the result in field 'at'
};

/// Launches to record in a graph.
using Recorded = std::function<void(Launches&)>;
/// Makes a graph of them.
using MakeGraph = std::function<std::unique_ptr<runtime::Graph>(const Recorded&)>;
/// Makes a graph that repeats 'body' 'passes' times and then runs 'rest' once.
using MakeLoop = std::function<std::unique_ptr<runtime::Graph>(std::int64_t passes, const Recorded& body,
                                                               const Recorded& rest)>;

/// The steps of one run under a schedule. Odd and even numbers of steps are both right.
class StepSchedule {
 public:
  explicit StepSchedule(std::int64_t steps) : steps_(steps) {}

  /// Makes and instantiates the graphs. Without this call, run() launches the steps one by one. make_loop may
  /// be empty if no mechanism needs it.
  void prepare(const Mechanism& mechanism, const MakeGraph& make_graph, const MakeLoop& make_loop = {});
  /// Launches a whole run; returns the index of the field that will hold the result.
  int run(Launches& plain);

 private:
  std::int64_t steps_;
  Schedule schedule_ = Schedule::stream;
  std::unique_ptr<runtime::Graph> first_, second_, even_;  ///< even_: a source of arguments only
};

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// Launch mechanisms: how a run launches its kernels, one by one or through graphs that are launched
// repeatedly, independent of the kernels themselves.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/variant.hpp"
#include "runtime/graph.hpp"

namespace parity::diffusion {

struct Problem;

/// Selects the launches that a graph holds, and how a step's output becomes the next step's input.
enum class Schedule { stream, copy, two, unrolled, whole, update, loop };
/// The API that builds the graph of the launches.
enum class GraphBy { none, capture, kokkos };

struct Mechanism {
  std::string name;  ///< as in "cuda-fused+graph-two"
  Schedule schedule;
  GraphBy graph_by;
  std::string summary;
  int body_steps = 0;  ///< for 'loop': steps that the graph repeats, an even number
  bool forks = false;  ///< independent launches are on branches of the graph

  bool plain() const { return schedule == Schedule::stream; }
};

/// All mechanisms, the plain stream first.
const std::vector<Mechanism>& mechanisms();

/// A kernel's cost under a mechanism: counts host calls that launch work, and adds the copy of 'copy'.
harness::CostModel with_mechanism(const harness::CostModel& model, const Mechanism& mechanism,
                                  const Problem& problem);

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

// SPDX-License-Identifier: BSD-3-Clause
// How the kernels of a run are started: the choice that is independent of the kernels themselves.
#pragma once
#include <string>
#include <vector>

#include "harness/variant.hpp"

namespace parity::diffusion {

struct Problem;

/// Which launches one start covers, and how a step's output becomes the next step's input.
enum class Schedule { stream, copy, two, unrolled, whole, update, loop };
/// Who makes the graph of the launches.
enum class GraphBy { none, capture, kokkos };

struct Mechanism {
  std::string name;  ///< as in "cuda-fused+graph-two"
  Schedule schedule;
  GraphBy graph_by;
  std::string summary;
  int body_steps = 0;  ///< of 'loop': steps that the graph repeats, an even number
  bool forks = false;  ///< launches that need nothing of each other are on branches of the graph

  bool plain() const { return schedule == Schedule::stream; }
};

/// All mechanisms, the plain stream first.
const std::vector<Mechanism>& mechanisms();

/// What a kernel's cost becomes under a mechanism: host calls that start work, and the copy that 'copy' adds.
harness::CostModel with_mechanism(const harness::CostModel& model, const Mechanism& mechanism,
                                  const Problem& problem);

}  // namespace parity::diffusion

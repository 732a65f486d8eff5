// SPDX-License-Identifier: BSD-3-Clause
// Launch mechanisms: how a run launches its kernels, independent of the kernels themselves.
#pragma once
#include <string>
#include <vector>

#include "harness/variant.hpp"

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

}  // namespace parity::diffusion

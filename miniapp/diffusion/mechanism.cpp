// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/mechanism.hpp"

#include <cmath>

#include "diffusion/problem.hpp"

namespace parity::diffusion {

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> table = {
      {"stream", Schedule::stream, GraphBy::none, "every kernel launched on its own"},
      {"graph-copy", Schedule::copy, GraphBy::capture,
       "captured graph of one step and a copy back; launched N times"},
      {"graph-two", Schedule::two, GraphBy::capture, "two captured graphs, even and odd steps in turn"},
      {"graph-unrolled", Schedule::unrolled, GraphBy::capture, "captured graph of two steps; N/2 times"},
      {"graph-fork", Schedule::unrolled, GraphBy::capture,
       "graph-unrolled, but launches that need nothing of each other are on branches", 0, /*forks=*/true},
      {"graph-whole", Schedule::whole, GraphBy::capture, "captured graph of all steps; launched once"},
      {"graph-update", Schedule::update, GraphBy::capture,
       "captured graph of one step, its arguments updated before each launch"},
      {"graph-while-2", Schedule::loop, GraphBy::capture,
       "captured graph that repeats two steps, counting on the device; launched once (CUDA 12.4)", 2},
      {"graph-while-32", Schedule::loop, GraphBy::capture, "the same, repeating 32 steps", 32},
      {"kokkos-graph-copy", Schedule::copy, GraphBy::kokkos,
       "Kokkos graph of one step and a copy back; submitted N times"},
      {"kokkos-graph-two", Schedule::two, GraphBy::kokkos, "two Kokkos graphs, even and odd in turn"},
      {"kokkos-graph-unrolled", Schedule::unrolled, GraphBy::kokkos, "Kokkos graph of two steps; N/2 times"},
      {"kokkos-graph-fork", Schedule::unrolled, GraphBy::kokkos,
       "kokkos-graph-unrolled, but launches that need nothing of each other are on branches", 0,
       /*forks=*/true},
      {"kokkos-graph-whole", Schedule::whole, GraphBy::kokkos, "Kokkos graph of all steps; submitted once"},
  };
  return table;
}

harness::CostModel with_mechanism(const harness::CostModel& model, const Mechanism& mechanism,
                                  const Problem& p) {
  harness::CostModel m = model;
  const double steps = double(p.steps), a_step = model.launches / steps;
  m.submissions = m.launches;
  switch (mechanism.schedule) {
    case Schedule::stream:
      break;
    case Schedule::copy:
      m.submissions = steps;
      m.launches += steps;
      m.bytes += 2.0 * steps * p.field_bytes();
      break;
    case Schedule::two:
      m.submissions = steps;
      break;
    case Schedule::unrolled:
      m.submissions = std::floor(steps / 2) + (p.steps % 2 == 0 ? 0 : a_step);
      break;
    case Schedule::whole:
      m.submissions = 1;
      break;
    case Schedule::update:
      m.submissions = 2 * steps;
      break;
    case Schedule::loop:
      m.submissions = 1;
      // Kernels that count the passes: one before the loop, and one in each pass.
      if (p.steps >= mechanism.body_steps) m.launches += 1 + double(p.steps / mechanism.body_steps);
      break;
  }
  return m;
}

}  // namespace parity::diffusion

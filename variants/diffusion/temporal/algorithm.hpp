// SPDX-License-Identifier: BSD-3-Clause
// temporal: makes several steps in each pass over memory. A pass streams rows through a chain of steps that
// stays on chip, in registers, shared memory or a core's cache; adjacent tiles overlap by two points a step.
// Steps are chained in time as in FastStencil (SC 2026). Each pass reads and writes each point once.
#pragma once
#include "diffusion/passes.hpp"
#include "diffusion/variant.hpp"

namespace parity::diffusion::temporal {

/// One launch per pass of 'steps_a_pass' steps; the last pass has the remaining steps.
inline CostModel cost(const Problem& p, int steps_a_pass, double flops) {
  return cost_per_pass(p, steps_a_pass, flops);
}

}  // namespace parity::diffusion::temporal

// SPDX-License-Identifier: BSD-3-Clause
// temporal: several steps in each pass over memory. A pass streams rows through a chain of steps that stays
// on chip, in registers, shared memory or a core's cache; neighbouring tiles overlap by two points a step.
// Chained in time as in FastStencil (SC 2026). Each pass reads and writes each point once.
#pragma once
#include "diffusion/passes.hpp"
#include "diffusion/variant.hpp"

namespace parity::diffusion::temporal {

/// A launch a pass of so many steps, the last one of what is left.
inline CostModel cost(const Problem& p, int steps_a_pass, double flops) {
  return cost_per_pass(p, steps_a_pass, flops);
}

}  // namespace parity::diffusion::temporal

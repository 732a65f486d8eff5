// SPDX-License-Identifier: BSD-3-Clause
// temporal_tile: several steps in each pass over memory. A team holds a tile and the points around it that T
// steps reach, 2T on each side, in registers, does T steps and writes the tile. Neighbouring tiles compute
// what they share twice. Each pass reads and writes each point once, and the overlap again.
#pragma once
#include "diffusion/passes.hpp"
#include "diffusion/variant.hpp"

namespace parity::diffusion::temporal_tile {

/// A launch a pass of so many steps, the last one of what is left.
inline CostModel cost(const Problem& p, int steps_a_pass, double flops) {
  return cost_per_pass(p, steps_a_pass, flops);
}

}  // namespace parity::diffusion::temporal_tile

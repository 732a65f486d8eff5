// SPDX-License-Identifier: BSD-3-Clause
// plane_registers: runs all steps of a plane in the registers of one block, of a 16 x 16 plane in those of
// one warp. Neighbours in x come by shuffles, rows at seams between groups of lanes through shared memory.
// Each point is read and written once, whatever the number of steps; sums by pairs, 7 operations a point and
// step, 6 with DeferredScale.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::plane_registers {

/// defers_scaling: true if the kernel for this plane defers scaling for an alpha that is exact.
inline CostModel cost(const Problem& p, bool defers_scaling) {
  return cost_resident(p, 1, flops_by_pairs(p, defers_scaling));
}

}  // namespace parity::diffusion::plane_registers

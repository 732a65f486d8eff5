// SPDX-License-Identifier: BSD-3-Clause
// resident: all steps in one launch. Planes stay in the registers of teams (blocks) all over the GPU, as many
// planes at a time as fit; rows cross to the next team through memory, in practice the L2 cache. Each point
// is read and written once, whatever the number of steps; sums by pairs, 7 operations a point and step, 6
// with DeferredScale. All teams must be at work at the same time.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::resident {

/// puts_off: the kernel for this plane puts the scale off where that is exact.
inline CostModel cost(const Problem& p, bool puts_off) {
  return cost_resident(p, 1, flops_by_pairs(p, puts_off));
}

}  // namespace parity::diffusion::resident

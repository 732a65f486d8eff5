// SPDX-License-Identifier: BSD-3-Clause
// resident: runs all steps in one launch. Planes stay in the registers of teams (blocks) all over the GPU, as
// many planes at a time as fit; rows cross to the next team through memory, in practice the L2 cache. Each
// point is read and written once, whatever the number of steps; sums by pairs, 7 operations a point and step,
// 6 with DeferredScale. All teams must be resident at once.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::resident {

/// defers_scaling: true if the kernel for this plane defers scaling for an alpha that is exact.
inline CostModel cost(const Problem& p, bool defers_scaling) {
  return cost_resident(p, 1, flops_by_pairs(p, defers_scaling));
}

}  // namespace parity::diffusion::resident

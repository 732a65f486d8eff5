// SPDX-License-Identifier: BSD-3-Clause
// fused_1d: the update of fused with one flat index over all points instead of three.
// Source: the fused kernel with one-dimensional blocks of the original work (variants/ORIGINAL_WORKS.md).
// Cost: two launches a step; a point is read once, if caches work, and written once; 17 flops, one division
// for the row and one for the plane. Limits: the index has 32 bits. Error: that of the 13-point sum
// (update_direct in diffusion/stencil.hpp).
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::fused_1d {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion::fused_1d

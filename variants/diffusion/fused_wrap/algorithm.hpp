// SPDX-License-Identifier: BSD-3-Clause
// fused_wrap: each step updates every point by one sum over its 13 neighbours, whose indices wrap around, so
// that there is no halo. Cost: one launch a step; a point is read once, if caches work, and written once; 17
// operations and the wrapping. Limits: none common to all backends. Error: that of the 13-point sum
// (update_direct in diffusion/stencil.hpp).
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::fused_wrap {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion::fused_wrap

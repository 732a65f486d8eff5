// SPDX-License-Identifier: BSD-3-Clause
// fused: each step updates every point by one sum over its 13 neighbours; the periodic halo is updated before
// it. Source: the fused kernel of the original work (variants/ORIGINAL_WORKS.md). Cost: two launches a step;
// a point is read once, if caches work, and written once; 17 flops (an FMA counts two). Limits: none common
// to all backends. Error: that of the 13-point sum (update_direct in miniapp/diffusion/stencil.hpp).
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::fused {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion::fused

// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_fixed_warps: computes the Laplacian of tiles in a team's shared memory; fixed warps load the
// ring around a tile, so that no warp diverges in the computation. Halo and field update stay elementary
// operations. Source: the first alternative to algorithm 2 that the original work proposes (its section 2.3).
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::shared_memory_fixed_warps {

/// Launches per step: 4 halo copies, 2 Laplacians, scale and add. Words per point, without rings: 2 x 2 + 2 +
/// 3, 2 of them in place.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 2;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::shared_memory_fixed_warps

// SPDX-License-Identifier: BSD-3-Clause
// shared_memory: computes the Laplacian of tiles in a team's shared memory; points at a tile's edge read
// their outer neighbours from global memory. Halo and field update stay elementary operations. Source:
// algorithm 2 of the original work ('Shared Memory' in its table 2).
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::shared_memory {

/// Launches per step: 4 halo copies, 2 Laplacians, scale and add. Words per point, without tile edges: 2 x 2
/// + 2 + 3, 2 of them in place.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 2;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::shared_memory

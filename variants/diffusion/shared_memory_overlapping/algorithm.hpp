// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_overlapping: computes the Laplacian of overlapping tiles in a team's shared memory; every
// thread loads a point, and only those inside a tile's edge compute one. Halo and field update stay
// elementary operations. Source: the second alternative to algorithm 2 that the original work proposes (its
// section 2.3). Limit: tiles of at least 3 x 3 points.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::shared_memory_overlapping {

/// Launches per step: 4 halo copies, 2 Laplacians, scale and add. Words per point, without overlaps: 2 x 2 +
/// 2 + 3, 2 of them in place.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 2;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::shared_memory_overlapping

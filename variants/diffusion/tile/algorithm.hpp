// SPDX-License-Identifier: BSD-3-Clause
// tile: computes both stages of one tile at a time; the tile and its Laplacian stay in scratch memory or a
// small buffer in cache. The halo is updated before each step; a point is read and written once a step.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::tile {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::tile

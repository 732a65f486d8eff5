// SPDX-License-Identifier: BSD-3-Clause
// tile: two stages for one tile at a time, the tile and its Laplacian in scratch memory or a small buffer in
// cache; the halo is updated before each step. A point is read and written once a step.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::tile {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::tile

// SPDX-License-Identifier: BSD-3-Clause
// laplacian_1d: one kernel computes the Laplacian, with threads over a flat range of points; halo and field
// update stay elementary operations. Source: 'Laplacian' with 1D blocks in table 2 of the original work.
// Limit: the flat index has 32 bits.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::laplacian_1d {

/// Launches per step: 4 halo copies, 2 Laplacians, scale and add. Words per point: 2 x 2 + 2 + 3, 2 of them
/// in place.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 2;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::laplacian_1d

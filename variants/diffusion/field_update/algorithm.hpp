// SPDX-License-Identifier: BSD-3-Clause
// field_update: one kernel computes the Laplacian, one updates the halo and one the field. Source: 'Field
// Update' in table 2 of the original work.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::field_update {

/// Launches per step: 1 halo update, 2 Laplacians, 1 update. Words per point: 2 x 2 + 3, 1 of them in place.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 1;
  e.model = [](const Problem& p) { return cost_per_step(p, 4, 7, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::field_update

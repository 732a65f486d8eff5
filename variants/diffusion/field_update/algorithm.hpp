// SPDX-License-Identifier: BSD-3-Clause
// field_update: one kernel forms the Laplacian, one updates the halo and one the field. Source: 'Field
// Update' in table 2 of the original work.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::field_update {

/// Launches a step: 1 halo update, 2 Laplacians, 1 update. Words a point: 2 x 2 + 3, 1 of them written where
/// it was read.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 1;
  e.model = [](const Problem& p) { return cost_per_step(p, 4, 7, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::field_update

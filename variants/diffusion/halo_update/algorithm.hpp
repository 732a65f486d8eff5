// SPDX-License-Identifier: BSD-3-Clause
// halo_update: one kernel forms the Laplacian and one updates the halo; the field update stays elementary.
// Source: 'Halo Update' in table 2 of the original work.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::halo_update {

/// Launches a step: 1 halo update, 2 Laplacians, scale and add. Words a point: 2 x 2 + 2 + 3, 2 of them
/// written where they were read.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 2;
  e.model = [](const Problem& p) { return cost_per_step(p, 5, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::halo_update

// SPDX-License-Identifier: BSD-3-Clause
// halo_update: one kernel computes the Laplacian and one updates the halo; the field update stays elementary.
// Source: 'Halo Update' in table 2 of the original work.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::halo_update {

/// Launches per step: 1 halo update, 2 Laplacians, scale and add. Words per point: 2 x 2 + 2 + 3, 2 of them
/// in place.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 2;
  e.model = [](const Problem& p) { return cost_per_step(p, 5, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::halo_update

// SPDX-License-Identifier: BSD-3-Clause
// field_update: one kernel forms the Laplacian, one updates the halo and one the field. Source: 'Field
// Update' in table 2 of the original work.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion {

/// Launches a step: 1 halo update, 2 Laplacians, 1 update. Words a point: 2 x 2 + 3, 1 of them written where
/// it was read. halo_launches: OpenMP's halo is two loops.
template <bool on_device, int halo_launches = 1>
Entry field_update_algorithm() {
  Entry e;
  e.fields = 3;
  e.model = [](const Problem& p) {
    return cost_in_place<on_device>(p, 3 + halo_launches, 7, 1, two_stage_flops);
  };
  return e;
}

}  // namespace parity::diffusion

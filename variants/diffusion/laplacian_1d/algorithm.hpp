// SPDX-License-Identifier: BSD-3-Clause
// laplacian_1d: one kernel forms the Laplacian, threads over a flat range of points; halo and field update
// stay elementary operations. Source: 'Laplacian' with 1D blocks in table 2 of the original work. Limit: the
// flat index has 32 bits.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion {

/// Launches a step: 4 halo copies, 2 Laplacians, scale and add. Words a point: 2 x 2 + 2 + 3, 2 of them
/// written where they were read.
template <bool on_device>
Entry laplacian_1d_algorithm() {
  Entry e;
  e.fields = 3;
  e.model = [](const Problem& p) { return cost_in_place<on_device>(p, 8, 9, 2, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

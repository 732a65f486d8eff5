// SPDX-License-Identifier: BSD-3-Clause
// baseline: elementary operations only, as array libraries execute the filter: the flat padded field is
// scaled and added, shifted by one neighbour at a time, the halo copied in four pieces. What lands in the
// halo is garbage, which the next halo copies overwrite. Source: algorithm 1 of the original work, its CuPy
// baseline.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::baseline {

/// Launches a step: 4 halo copies, 2 x (scale and 4 adds), scale and add. Words a point: 2 x (2 + 4 x 3) + 2
/// + 3, 10 of them written where they were read.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 10;
  e.model = [](const Problem& p) { return cost_per_step(p, 16, 33, 20); };
  return e;
}

}  // namespace parity::diffusion::baseline

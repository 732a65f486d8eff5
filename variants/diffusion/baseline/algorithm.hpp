// SPDX-License-Identifier: BSD-3-Clause
// baseline: runs the filter as elementary operations on the flat padded field, as array libraries do: it
// scales the field, adds it shifted by one neighbour at a time, and copies the halo in four pieces. The
// operations leave garbage in the halo, which the next halo copies overwrite. Source: algorithm 1 of the
// original work, its CuPy baseline.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::baseline {

/// Launches per step: 4 halo copies, 2 x (scale and 4 adds), scale and add. Words per point: 2 x (2 + 4 x 3)
/// + 2 + 3, 10 of them in place.
inline Entry algorithm() {
  Entry e;
  e.fields = 3;
  e.words_in_place = 10;
  e.model = [](const Problem& p) { return cost_per_step(p, 16, 33, 20); };
  return e;
}

}  // namespace parity::diffusion::baseline

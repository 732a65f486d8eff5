// SPDX-License-Identifier: BSD-3-Clause
// directions: separate kernels compute the second differences along x and along y. They do not depend on each
// other: a graph that forks runs them on two branches, which join for the sum. Source: section 2.3 of the
// original work, "computing independent universal functions concurrently".
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::directions {

template <class T>
PARITY_INLINE T second_difference(T centre, T before, T after) {
  return multiply_add(T(-2), centre, before + after);
}

/// Launches per step: 1 halo update, 2 x 2 differences, 1 sum, 1 update. Words per point: 4 x 2 + 3 + 4, 2 of
/// them in place. Operations: 3 per difference, 1 per sum, 2 per update.
inline Entry algorithm() {
  Entry e;
  e.fields = 4;
  e.words_in_place = 2;
  e.forks = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 7, 15, 16); };
  return e;
}

}  // namespace parity::diffusion::directions

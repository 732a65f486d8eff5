// SPDX-License-Identifier: BSD-3-Clause
// empty: each step launches a kernel that does nothing; a lower bound for each variant with launches.
// Cost: one launch a step. Limits: none. Error: none, the field does not change.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::empty {

inline Entry algorithm() {
  Entry e;
  e.floor = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 0, 0); };
  return e;
}

}  // namespace parity::diffusion::empty

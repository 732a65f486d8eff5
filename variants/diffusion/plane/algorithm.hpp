// SPDX-License-Identifier: BSD-3-Clause
// plane: a team or thread takes a plane through all steps while the plane stays in scratch memory or a core's
// cache. A step has two stages and updates the plane in place. It reads and writes each point once for
// any number of steps.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::plane {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_resident(p, 1, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::plane

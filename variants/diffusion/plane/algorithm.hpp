// SPDX-License-Identifier: BSD-3-Clause
// plane: a team or thread takes a plane through all steps while it stays in scratch memory or in a core's
// cache. Two stages a step, the update in place. Each point is read and written once, whatever the number of
// steps.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::plane {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_resident(p, 1, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::plane

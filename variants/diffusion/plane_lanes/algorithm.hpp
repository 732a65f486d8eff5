// SPDX-License-Identifier: BSD-3-Clause
// plane_lanes: a thread takes a plane through all steps in its core's cache, by vectors whose lanes form a
// ring: lane l has the columns from l nx / lanes on, so that neighbours in x are whole vectors, the plane's
// seam is a rotation of lanes, and no load crosses a cache line. Some steps a pass over the plane: a chain of
// stages, a step each, whose rows stay in the nearest cache. Each point is read and written once. Limits:
// rows fill all lanes, CPUs alone.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::plane_lanes {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_resident(p, 1, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::plane_lanes

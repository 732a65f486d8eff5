// SPDX-License-Identifier: BSD-3-Clause
// plane_lanes: a thread takes a plane through all steps in its core's cache, in vectors whose lanes form a
// ring. Lane l has the columns from l nx / lanes on: neighbours in x are whole vectors, the plane's seam is a
// rotation of lanes, and no load crosses a cache line. A pass over the plane makes several steps by a chain
// of stages, one step each, whose rows stay in the nearest cache. It reads and writes each point once.
// Limits: rows must fill all lanes; CPUs only.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::plane_lanes {

inline Entry algorithm() {
  Entry e;
  e.model = [](const Problem& p) { return cost_resident(p, 1, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion::plane_lanes

// SPDX-License-Identifier: BSD-3-Clause
// What cuda-stream-temporal costs, for its entry and for tests without a GPU.
#pragma once
#include "diffusion/packs.hpp"
#include "diffusion/passes.hpp"
#include "diffusion/variant.hpp"

namespace parity::diffusion {

/// Of a whole pass: one chain of warps does 16, each of two 8.
inline int steps_of_stream_pass(const harness::Tuning& t) { return t[0] == 1 ? 16 : 8; }

/// Each pass is a launch, after one that extends rows where they do not fill packs.
inline harness::CostModel cost_of_stream(const Problem& p, const harness::Tuning& t) {
  return cost_of_passes(p, EvenPasses(p.steps, steps_of_stream_pass(t)).count(),
                        fills_packs(p.nx, p.precision) ? 1 : 2, flops_by_pairs(p));
}

}  // namespace parity::diffusion

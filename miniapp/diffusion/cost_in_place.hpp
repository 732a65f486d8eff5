// SPDX-License-Identifier: BSD-3-Clause
// The cost of steps that write where they read.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion {

/// cost_per_step of kernels that write 'in_place' of their words where they have read them. A host's cache
/// takes in such a line once and gives it back once, as it does with a line that is only read or only
/// written.
template <bool on_device>
CostModel cost_in_place(const Problem& p, double launches, double words, double in_place, double flops) {
  return cost_per_step(p, launches, on_device ? words : words - in_place, flops);
}

}  // namespace parity::diffusion

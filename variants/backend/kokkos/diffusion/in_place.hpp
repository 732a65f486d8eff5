// SPDX-License-Identifier: BSD-3-Clause
// The cost of steps that write where they read.
#pragma once
#include "fields.hpp"

namespace parity::diffusion {

/// cost_per_step of kernels that write 'in_place' of their words where they have read them. A host's cache
/// takes in such a line once and gives it back once, as it does with a line that is only read or only
/// written.
inline CostModel cost_in_place(const Problem& p, double launches, double words, double in_place,
                               double flops) {
  return cost_per_step(p, launches, compat::exec_is_device() ? words : words - in_place, flops);
}

}  // namespace parity::diffusion

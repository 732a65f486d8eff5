// SPDX-License-Identifier: BSD-3-Clause
// fused_deep: fused_overlap with halos of several steps, exchanged once in so many steps.
// Cost: two launches a step, one read and one write a point, and some points around a part in each step.
// Limits: parts are at least as large as the halo that their neighbours want of them.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::fused_deep {

struct Form {
  static constexpr ExchangeForm form{/*overlap=*/true, /*deep=*/true};
};

inline Entry algorithm() { return exchange_algorithm<Form>(); }

}  // namespace parity::diffusion::fused_deep

// SPDX-License-Identifier: BSD-3-Clause
// fused_overlap: fused_exchange with points that need no message updated while it is under way.
// Cost: four launches a step, one read and one write a point.
// Limits: parts are at least as large as the halo that their neighbours want of them.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::fused_overlap {

struct Form {
  static constexpr ExchangeForm form{/*overlap=*/true};
};

inline Entry algorithm() { return exchange_algorithm<Form>(); }

}  // namespace parity::diffusion::fused_overlap

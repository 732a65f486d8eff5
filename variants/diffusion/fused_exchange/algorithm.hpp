// SPDX-License-Identifier: BSD-3-Clause
// fused_exchange: the 13-point update of a rank's part, halos exchanged before each step.
// Cost: three launches a step, one read and one write a point.
// Limits: parts are at least as large as the halo that their neighbours want of them.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::fused_exchange {

struct Form {
  static constexpr ExchangeForm form{};
};

inline Entry algorithm() { return exchange_algorithm<Form>(); }

}  // namespace parity::diffusion::fused_exchange

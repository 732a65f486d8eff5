// SPDX-License-Identifier: BSD-3-Clause
// fused_exchange: updates a rank's part by the 13-point sum and exchanges the halos before each step.
// Cost: three launches a step, one read and one write a point.
// Limits: a part is at least as large as the halo that its neighbours need.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::fused_exchange {

struct Form {
  static constexpr ExchangeForm form{};
};

inline Entry algorithm() { return exchange_algorithm<Form>(); }

}  // namespace parity::diffusion::fused_exchange

// SPDX-License-Identifier: BSD-3-Clause
// fused_overlap: fused_exchange that updates the points that need no message while messages are under way.
// Cost: four launches a step, one read and one write a point.
// Limits: a part is at least as large as the halo that its neighbours need.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::fused_overlap {

struct Form {
  static constexpr ExchangeForm form{/*overlap=*/true};
};

inline Entry algorithm() { return exchange_algorithm<Form>(); }

}  // namespace parity::diffusion::fused_overlap

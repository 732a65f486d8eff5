// SPDX-License-Identifier: BSD-3-Clause
// fused_deep: fused_overlap with halos deep enough for several steps, exchanged once in as many steps.
// Cost: two launches a step, one read and one write a point, and in each step some points around a part.
// Limits: a part is at least as large as the halo that its neighbours need.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::fused_deep {

struct Form {
  static constexpr ExchangeForm form{/*overlap=*/true, /*deep=*/true};
};

inline Entry algorithm() { return exchange_algorithm<Form>(); }

}  // namespace parity::diffusion::fused_deep

// SPDX-License-Identifier: BSD-3-Clause
// exchange: exchanges a rank's halos in each step and leaves the field unchanged; a lower bound.
// Cost: two launches a step; packing reads and writes the points of the halo, and unpacking does so again.
// Limits: a part is at least as large as the halo that its neighbours need.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::exchange {

struct Form {
  static constexpr ExchangeForm form{/*overlap=*/false, /*deep=*/false, /*updates=*/false};
};

inline Entry algorithm() { return exchange_algorithm<Form>(); }

}  // namespace parity::diffusion::exchange

// SPDX-License-Identifier: BSD-3-Clause
// exchange: floor: a rank's halos exchanged in each step, the field unchanged.
// Cost: two launches a step; points of the halo are read and written by packing, and again by unpacking.
// Limits: parts are at least as large as the halo that their neighbours want of them.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::exchange {

struct Form {
  static constexpr ExchangeForm form{/*overlap=*/false, /*deep=*/false, /*updates=*/false};
};

inline Entry algorithm() { return exchange_algorithm<Form>(); }

}  // namespace parity::diffusion::exchange

// SPDX-License-Identifier: BSD-3-Clause
// exchange_nccl: the floor exchange with NCCL in the place of MPI.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::exchange_nccl {

struct Algorithm {
  static constexpr ExchangeForm form{/*overlap=*/false, /*deep=*/false, /*updates=*/false, /*nccl=*/true};
};

}  // namespace parity::diffusion::exchange_nccl

// SPDX-License-Identifier: BSD-3-Clause
// fused_overlap_nccl: fused_overlap with NCCL in the place of MPI.
#pragma once
#include "diffusion/exchanged.hpp"

namespace parity::diffusion::fused_overlap_nccl {

struct Algorithm {
  static constexpr ExchangeForm form{/*overlap=*/true, /*deep=*/false, /*updates=*/true, /*nccl=*/true};
};

}  // namespace parity::diffusion::fused_overlap_nccl

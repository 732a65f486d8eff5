// SPDX-License-Identifier: BSD-3-Clause
// exchange_nccl, CUDA. The kernel is that of exchange, PartOnDevice::move.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion::exchange_nccl {

Entry cuda() {
  return with_exchange<cuda::PartOnDevice, exchange_nccl::Algorithm>(
      exchange_algorithm<exchange_nccl::Algorithm>());
}

}  // namespace parity::diffusion::exchange_nccl

// SPDX-License-Identifier: BSD-3-Clause
// exchange, CUDA: what packing by a kernel costs. The kernel is PartOnDevice::move's, which all exchanges
// share.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion::exchange {

Entry cuda() { return with_exchange<cuda::PartOnDevice, Algorithm>(exchange_algorithm<Algorithm>()); }

}  // namespace parity::diffusion::exchange

// SPDX-License-Identifier: BSD-3-Clause
// exchange, CUDA: one thread moves one cell of a plane, of all regions of a direction.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion::exchange {

Entry cuda() { return with_exchange<cuda::PartOnDevice, Form>(algorithm()); }

}  // namespace parity::diffusion::exchange

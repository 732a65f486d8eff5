// SPDX-License-Identifier: BSD-3-Clause
// fused_overlap, CUDA: the kernel of ../fused_exchange, other exchanges around it.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion::fused_overlap {

Entry cuda() {
  return with_exchange<cuda::RegionsOnDevice, Algorithm>(
      cuda::with_part_blocks(exchange_algorithm<Algorithm>()));
}

}  // namespace parity::diffusion::fused_overlap

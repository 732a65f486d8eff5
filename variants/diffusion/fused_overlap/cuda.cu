// SPDX-License-Identifier: BSD-3-Clause
// fused_overlap, CUDA: the kernel of fused_exchange/cuda.cu.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion::fused_overlap {

Entry cuda() { return with_exchange<cuda::UpdatedPart, Form>(cuda::with_part_blocks(algorithm())); }

}  // namespace parity::diffusion::fused_overlap

// SPDX-License-Identifier: BSD-3-Clause
// fused_deep, CUDA: the kernel of fused_exchange/cuda.cu.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion::fused_deep {

Entry cuda() {
  Entry e = algorithm();
  e.refuse += cuda::refuse_planes;
  return with_exchange<cuda::UpdatedPart, Form>(e);
}

}  // namespace parity::diffusion::fused_deep

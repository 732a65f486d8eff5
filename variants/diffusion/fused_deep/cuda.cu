// SPDX-License-Identifier: BSD-3-Clause
// fused_deep, CUDA: the kernel of ../fused_exchange, other exchanges around it.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion::fused_deep {

Entry cuda() {
  Entry e = exchange_algorithm<Algorithm>();
  e.refuse = [](const Problem& p, const Tuning& t) {
    if (const auto why = cuda::refuse_planes(p, t)) return why;
    return refuse_small_parts(p, depth_of(p, t[0]));
  };
  return with_exchange<cuda::RegionsOnDevice, Algorithm>(e);
}

}  // namespace parity::diffusion::fused_deep

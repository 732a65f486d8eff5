// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-exchange: the halos alone, exchanged in each step. Twin of kokkos-exchange.
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion {

Entry exchange_cuda() {
  Entry e;
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<cuda::PartOnDevice, /*overlap=*/false, /*deep=*/false, /*updates=*/false>(e);
}

}  // namespace parity::diffusion

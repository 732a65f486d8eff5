// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-exchange-nccl: cuda-exchange with NCCL in the place of MPI. Twin of kokkos-exchange-nccl.
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion {

Entry exchange_nccl_cuda() {
  Entry e;
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<cuda::PartOnDevice, /*overlap=*/false, /*deep=*/false, /*updates=*/false,
                       /*nccl=*/true>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-overlap-nccl: cuda-fused-overlap with NCCL in the place of MPI. Twin of
// kokkos-fused-overlap-nccl.
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion {

Entry fused_overlap_nccl_cuda() {
  Entry e = cuda::exchange_entry();
  return with_exchange<cuda::PartOnDevice, /*overlap=*/true, /*deep=*/false, /*updates=*/true, /*nccl=*/true>(
      e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-overlap: the same with points that need no message updated while it is under way.
// Twin of kokkos-fused-overlap.
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion {

Entry fused_overlap_cuda() {
  Entry e = cuda::exchange_entry();
  return with_exchange<cuda::PartOnDevice, /*overlap=*/true, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

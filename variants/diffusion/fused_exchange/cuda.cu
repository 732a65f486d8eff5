// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-exchange: the 13-point update of a rank's part, an exchange of halos before each step.
// Twin of kokkos-fused-exchange.
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion {

Entry fused_exchange_cuda() {
  Entry e = cuda::exchange_entry();
  return with_exchange<cuda::PartOnDevice, /*overlap=*/false, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

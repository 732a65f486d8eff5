// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-overlap-nccl: kokkos-fused-overlap with NCCL in the place of MPI.
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry fused_overlap_nccl_kokkos() {
  Entry e =
      exchange_entry();
  e.refuse = [](const Problem& p, const Tuning& t) {
    if (const auto why = refuse_large_tile(p, t)) return why;
    return refuse_small_parts(p, p.halo);
  };
  if (!compat::exec_is_device()) e.unavailable = "NCCL carries messages between GPUs alone";
  return with_exchange<PartInViews, /*overlap=*/true, /*deep=*/false, /*updates=*/true, /*nccl=*/true>(e);
}

}  // namespace parity::diffusion

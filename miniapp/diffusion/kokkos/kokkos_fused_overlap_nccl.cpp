// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-overlap-nccl: kokkos-fused-overlap with NCCL in the place of MPI.
#include "diffusion/kokkos/exchange.hpp"

namespace parity::diffusion {

Entry kokkos_fused_overlap_nccl() {
  Entry e =
      exchange_entry("kokkos-fused-overlap-nccl",
                     "13-point update, halos carried by NCCL beside the interior", "cuda-fused-overlap-nccl");
  e.refuse = [](const Problem& p, const Tuning& t) {
    if (const auto why = refuse_large_tile(p, t)) return why;
    return refuse_small_parts(p, p.halo);
  };
  if (!compat::exec_is_device()) e.unavailable = "NCCL carries messages between GPUs alone";
  return with_exchange<PartInViews, /*overlap=*/true, /*deep=*/false, /*updates=*/true, /*nccl=*/true>(e);
}

}  // namespace parity::diffusion

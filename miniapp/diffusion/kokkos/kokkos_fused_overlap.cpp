// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-overlap: the same with points that need no message updated while it is under way.
#include "diffusion/kokkos/exchange.hpp"

namespace parity::diffusion {

Entry kokkos_fused_overlap() {
  Entry e = exchange_entry("kokkos-fused-overlap",
                           "the same, the exchange overlapped with the update of the interior",
                           twin_of("cuda-fused-overlap", "openmp-fused-overlap"));
  e.refuse = [](const Problem& p, const Tuning& t) {
    if (const auto why = refuse_large_tile(p, t)) return why;
    return refuse_small_parts(p, p.halo);
  };
  return with_exchange<PartInViews, /*overlap=*/true, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

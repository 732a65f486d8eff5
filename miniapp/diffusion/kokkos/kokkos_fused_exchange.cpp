// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-exchange: the 13-point update of a rank's part, an exchange of halos before each
// step.
#include "diffusion/kokkos/exchange.hpp"

namespace parity::diffusion {

Entry kokkos_fused_exchange() {
  Entry e = exchange_entry("kokkos-fused-exchange",
                           "13-point update of a rank's part (MDRange), halos exchanged before each step",
                           twin_of("cuda-fused-exchange", "openmp-fused-exchange"));
  e.refuse = [](const Problem& p, const Tuning& t) {
    if (const auto why = refuse_large_tile(p, t)) return why;
    return refuse_small_parts(p, p.halo);
  };
  return with_exchange<PartInViews, /*overlap=*/false, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

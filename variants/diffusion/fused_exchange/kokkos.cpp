// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-exchange: the 13-point update of a rank's part, an exchange of halos before each
// step.
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry fused_exchange_kokkos() {
  Entry e = exchange_entry();
  e.refuse = [](const Problem& p, const Tuning& t) {
    if (const auto why = refuse_large_tile(p, t)) return why;
    return refuse_small_parts(p, p.halo);
  };
  return with_exchange<PartInViews, /*overlap=*/false, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

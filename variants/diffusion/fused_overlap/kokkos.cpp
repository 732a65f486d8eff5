// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-overlap: the same with points that need no message updated while it is under way.
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry fused_overlap_kokkos() {
  Entry e = exchange_entry();
  e.refuse = [](const Problem& p, const Tuning& t) {
    if (const auto why = refuse_large_tile(p, t)) return why;
    return refuse_small_parts(p, p.halo);
  };
  return with_exchange<PartInViews, /*overlap=*/true, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

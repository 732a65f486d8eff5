// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-deep: halos of several steps, exchanged once in so many steps, overlapped with the
// interior.
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry fused_deep_kokkos() {
  Entry e = exchange_entry();
  e.tunings = deep_tunings();
  e.tuning_axes = deep_axes;
  e.refuse = [](const Problem& p, const Tuning& t) {
    return refuse_small_parts(p, depth_of(p, {t[0], true}));
  };
  return with_exchange<PartInViews, /*overlap=*/true, /*deep=*/true>(e);
}

}  // namespace parity::diffusion

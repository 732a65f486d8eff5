// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-deep: halos of several steps, exchanged once in so many steps, overlapped with the
// interior.
#include "diffusion/kokkos/exchange.hpp"

namespace parity::diffusion {

Entry kokkos_fused_deep() {
  Entry e = exchange_entry("kokkos-fused-deep", "the same with deep halos, exchanged once in several steps",
                           twin_of("cuda-fused-deep", "openmp-fused-deep"));
  e.tunings = deep_tunings();
  e.tuning_axes = deep_axes;
  e.refuse = [](const Problem& p, const Tuning& t) {
    return refuse_small_parts(p, depth_of(p, {t[0], true}));
  };
  return with_exchange<PartInViews, /*overlap=*/true, /*deep=*/true>(e);
}

}  // namespace parity::diffusion

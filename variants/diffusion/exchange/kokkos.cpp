// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-exchange: the halos alone, exchanged in each step; what packing through Kokkos costs.
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry exchange_kokkos() {
  Entry e =
      kokkos_entry({}, {}, "");
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<PartInViews, /*overlap=*/false, /*deep=*/false, /*updates=*/false>(e);
}

}  // namespace parity::diffusion

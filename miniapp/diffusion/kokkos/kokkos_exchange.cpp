// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-exchange: the halos alone, exchanged in each step; what packing through Kokkos costs.
#include "diffusion/kokkos/exchange.hpp"

namespace parity::diffusion {

Entry kokkos_exchange() {
  Entry e =
      kokkos_entry("kokkos-exchange", "floor: a rank's halos exchanged in each step, the field unchanged",
                   twin_of("cuda-exchange", "openmp-exchange"), {}, {}, "");
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<PartInViews, /*overlap=*/false, /*deep=*/false, /*updates=*/false>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/openmp-exchange: the halos alone, exchanged in each step. Twin of kokkos-exchange.
#include "exchange.hpp"

namespace parity::diffusion {

Entry openmp_exchange() {
  Entry e = openmp::exchange_entry("openmp-exchange",
                                   "floor: a rank's halos exchanged in each step, the field unchanged");
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<openmp::PartInRows, /*overlap=*/false, /*deep=*/false, /*updates=*/false>(e);
}

}  // namespace parity::diffusion

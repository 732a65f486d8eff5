// SPDX-License-Identifier: BSD-3-Clause
// diffusion/openmp-fused-exchange: the 13-point update of a rank's part, an exchange of halos before each
// step. Twin of kokkos-fused-exchange.
#include "exchange.hpp"

namespace parity::diffusion {

Entry openmp_fused_exchange() {
  Entry e = openmp::exchange_entry("openmp-fused-exchange",
                                   "13-point update of a rank's part, halos exchanged before each step");
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<openmp::PartInRows, /*overlap=*/false, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

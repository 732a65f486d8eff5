// SPDX-License-Identifier: BSD-3-Clause
// diffusion/openmp-fused-exchange: the 13-point update of a rank's part, an exchange of halos before each
// step. Twin of kokkos-fused-exchange.
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry fused_exchange_openmp() {
  Entry e = openmp::exchange_entry();
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<openmp::PartInRows, /*overlap=*/false, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

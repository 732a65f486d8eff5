// SPDX-License-Identifier: BSD-3-Clause
// diffusion/openmp-exchange: the halos alone, exchanged in each step. Twin of kokkos-exchange.
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry exchange_openmp() {
  Entry e = openmp::exchange_entry();
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<openmp::PartInRows, /*overlap=*/false, /*deep=*/false, /*updates=*/false>(e);
}

}  // namespace parity::diffusion

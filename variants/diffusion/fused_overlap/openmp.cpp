// SPDX-License-Identifier: BSD-3-Clause
// diffusion/openmp-fused-overlap: the same with points that need no message updated while it is under way.
// Twin of kokkos-fused-overlap.
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry fused_overlap_openmp() {
  Entry e = openmp::exchange_entry();
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  return with_exchange<openmp::PartInRows, /*overlap=*/true, /*deep=*/false>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-exchange-nccl: kokkos-exchange with NCCL in the place of MPI.
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion {

Entry exchange_nccl_kokkos() {
  Entry e = kokkos_entry({}, {}, "");
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  if (!compat::exec_is_device()) e.unavailable = "NCCL carries messages between GPUs alone";
  return with_exchange<PartInViews, /*overlap=*/false, /*deep=*/false, /*updates=*/false, /*nccl=*/true>(e);
}

}  // namespace parity::diffusion

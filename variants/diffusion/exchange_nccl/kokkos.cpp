// SPDX-License-Identifier: BSD-3-Clause
// exchange_nccl, Kokkos. The kernel is that of exchange, PartInViews::move.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion::exchange_nccl {

Entry kokkos() {
  Entry e = exchange_algorithm<exchange_nccl::Algorithm>();
  e.unavailable = why_no_nccl();
  return with_exchange<PartInViews, exchange_nccl::Algorithm>(e);
}

}  // namespace parity::diffusion::exchange_nccl

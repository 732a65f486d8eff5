// SPDX-License-Identifier: BSD-3-Clause
// exchange, Kokkos: what packing through Kokkos costs. The kernel is PartInViews::move, which all exchanges
// share.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion::exchange {

Entry kokkos() { return with_exchange<PartInViews, Form>(algorithm()); }

}  // namespace parity::diffusion::exchange

// SPDX-License-Identifier: BSD-3-Clause
// exchange, Kokkos: measures the cost of packing through Kokkos. All exchanges share its kernel,
// PartInViews::move.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion::exchange {

Entry kokkos() { return with_exchange<PartInViews, Form>(algorithm()); }

}  // namespace parity::diffusion::exchange

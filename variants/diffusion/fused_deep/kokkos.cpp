// SPDX-License-Identifier: BSD-3-Clause
// fused_deep, Kokkos: the kernel of ../fused_exchange, other exchanges around it.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion::fused_deep {

Entry kokkos() { return with_exchange<RegionsInViews, Algorithm>(exchange_algorithm<Algorithm>()); }

}  // namespace parity::diffusion::fused_deep

// SPDX-License-Identifier: BSD-3-Clause
// fused_deep, Kokkos: the kernel of fused_exchange/kokkos.cpp.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion::fused_deep {

Entry kokkos() { return with_exchange<UpdatedPart, Form>(algorithm()); }

}  // namespace parity::diffusion::fused_deep

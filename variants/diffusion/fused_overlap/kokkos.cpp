// SPDX-License-Identifier: BSD-3-Clause
// fused_overlap, Kokkos: the kernel of fused_exchange/kokkos.cpp.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion::fused_overlap {

Entry kokkos() { return with_exchange<UpdatedPart, Form>(with_part_tiles(algorithm())); }

}  // namespace parity::diffusion::fused_overlap

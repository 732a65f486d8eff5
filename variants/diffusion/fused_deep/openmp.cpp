// SPDX-License-Identifier: BSD-3-Clause
// fused_deep, OpenMP: the loops of fused_exchange/openmp.cpp.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::diffusion::fused_deep {

Entry openmp() { return with_exchange<openmp::UpdatedPart, Form>(algorithm()); }

}  // namespace parity::diffusion::fused_deep

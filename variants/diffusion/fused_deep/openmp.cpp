// SPDX-License-Identifier: BSD-3-Clause
// fused_deep, OpenMP: the kernel of ../fused_exchange, other exchanges around it.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::diffusion::fused_deep {

Entry openmp() { return with_exchange<openmp::RegionsInRows, Algorithm>(exchange_algorithm<Algorithm>()); }

}  // namespace parity::diffusion::fused_deep

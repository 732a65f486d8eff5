// SPDX-License-Identifier: BSD-3-Clause
// exchange, OpenMP: what packing by rows costs. The loop is PartInRows::move, which all exchanges share.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::diffusion::exchange {

Entry openmp() { return with_exchange<openmp::PartInRows, Algorithm>(exchange_algorithm<Algorithm>()); }

}  // namespace parity::diffusion::exchange

// SPDX-License-Identifier: BSD-3-Clause
// exchange, OpenMP: moves the rows of all regions of a direction.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::diffusion::exchange {

Entry openmp() { return with_exchange<openmp::PartInRows, Form>(algorithm()); }

}  // namespace parity::diffusion::exchange

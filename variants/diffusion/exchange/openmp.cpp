// SPDX-License-Identifier: BSD-3-Clause
// exchange, OpenMP: the rows of all regions that a direction moves.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::openmp {
namespace {

template <class T>
struct RankPart : PartInRows<T> {
  using PartInRows<T>::PartInRows;
  void move(const char*, const Moves<T>& moves) const {
    const int rows = moves.rows();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < this->p_.nz; ++k)
      for (int r = 0; r < rows; ++r) moves.copy_row(r, k);
  }
};

}  // namespace
}  // namespace parity::openmp

namespace parity::diffusion::exchange {

Entry openmp() {
  return with_exchange<openmp::RankPart, exchange::Algorithm>(exchange_algorithm<exchange::Algorithm>());
}

}  // namespace parity::diffusion::exchange

// SPDX-License-Identifier: BSD-3-Clause
// fused_deep, OpenMP: rows of a region.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::openmp {
namespace {

/// A region of all planes.
template <class T>
struct RankPart : PartInRows<T> {
  using PartInRows<T>::PartInRows;
  using PartInRows<T>::update;
  void update(const T* in, T* out, const Region& r) const {
    const T alpha = T(this->p_.alpha);
    const std::int64_t pitch = this->p_.pitch(), rows = this->p_.rows(), halo = this->p_.halo;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < this->p_.nz; ++k)
      for (std::int64_t j = r.row; j < r.row + r.rows; ++j) {
        const std::int64_t first = (k * rows + halo + j) * pitch + halo + r.column;
        const T* const from = in + first;
        T* const to = out + first;
#pragma omp simd
        for (std::int64_t i = 0; i < r.columns; ++i)
          to[i] = update_at(alpha, FlatNeighbours<T>{from + i, pitch});
      }
  }
};

}  // namespace
}  // namespace parity::openmp

namespace parity::diffusion::fused_deep {

Entry openmp() {
  return with_exchange<openmp::RankPart, fused_deep::Algorithm>(exchange_algorithm<fused_deep::Algorithm>());
}

}  // namespace parity::diffusion::fused_deep

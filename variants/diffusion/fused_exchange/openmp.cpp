// SPDX-License-Identifier: BSD-3-Clause
// fused_exchange, OpenMP: one loop updates the rows of a region.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::openmp {

template <class T>
void UpdatedPart<T>::update(const T* in, T* out, const Region& r) const {
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

template struct UpdatedPart<float>;
template struct UpdatedPart<double>;

}  // namespace parity::openmp

namespace parity::diffusion::fused_exchange {

Entry openmp() { return with_exchange<openmp::UpdatedPart, Form>(algorithm()); }

}  // namespace parity::diffusion::fused_exchange

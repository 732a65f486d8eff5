// SPDX-License-Identifier: BSD-3-Clause
// fused_exchange, Kokkos: one MDRange updates a region.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion {

template <class T>
void UpdatedPart<T>::update(const T* in, T* out, const Region& r) const {
  const Problem& p = this->fields_.p;
  const int pitch = int(p.pitch()), rows = int(p.rows()), row = int(p.halo + r.row),
            column = int(p.halo + r.column);
  const T alpha = T(p.alpha);
  Kokkos::parallel_for(
      "parity::diffusion::fused", range3(this->fields_.exec, p.nz, r.rows, r.columns, this->tile_),
      KOKKOS_LAMBDA(int i, int j, int k) {
        const std::size_t centre = (std::size_t(k) * rows + row + j) * pitch + column + i;
        out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
      });
}

template struct UpdatedPart<float>;
template struct UpdatedPart<double>;

namespace fused_exchange {
Entry kokkos() { return with_exchange<UpdatedPart, Form>(with_part_tiles(algorithm())); }
}  // namespace fused_exchange

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// fused_deep, Kokkos: an MDRange over a region.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion::fused_deep {
namespace {

/// A region of all planes.
template <class T>
struct RankPart : PartInViews<T> {
  using PartInViews<T>::PartInViews;
  using PartInViews<T>::update;
  void update(const T* in, T* out, const Region& r) const {
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
};

}  // namespace
}  // namespace parity::diffusion::fused_deep

namespace parity::diffusion::fused_deep {

Entry kokkos() {
  const Entry e = exchange_algorithm<fused_deep::Algorithm>();
  return with_exchange<fused_deep::RankPart, fused_deep::Algorithm>(e);
}

}  // namespace parity::diffusion::fused_deep

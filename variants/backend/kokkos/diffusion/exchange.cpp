// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the portable exchanges, which differ in their order only.
#include "exchange.hpp"

namespace parity::diffusion {

template <class T>
void PartInViews<T>::move(const char* what, const Moves<T>& moves) const {
  if constexpr (on_device) {
    namespace hints = Kokkos::Experimental;
    // With its regions the functor has more than 512 bytes. Unless it is hinted to be light, Kokkos passes it
    // through constant memory: the host waits for the kernel that used that before, and no stream that
    // captures may wait.
    Kokkos::parallel_for(what,
                         hints::require(range2(fields_.exec, fields_.p.nz, moves.cells()),
                                        hints::WorkItemProperty::HintLightWeight),
                         moves);
  } else {
    const std::int64_t rows = moves.rows();
    Kokkos::parallel_for(what, Range1<std::int64_t>(fields_.exec, 0, fields_.p.nz * rows),
                         [=](std::int64_t n) { moves.copy_row(n % rows, n / rows); });
  }
}

template <class T>
void PartInViews<T>::update(const T* in, T* out, const Region& region) const {
  const Problem& p = fields_.p;
  const int pitch = int(p.pitch()), rows = int(p.rows()), row = int(p.halo + region.row),
            column = int(p.halo + region.column);
  const T alpha = T(p.alpha);
  Kokkos::parallel_for(
      "parity::diffusion::fused", range3(fields_.exec, p.nz, region.rows, region.columns, tile_),
      KOKKOS_LAMBDA(int i, int j, int k) {
        const std::size_t centre = (std::size_t(k) * rows + row + j) * pitch + column + i;
        out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
      });
}

template <class T>
void PartInViews<T>::update(const RegionUpdate<T>& regions) const {
  Kokkos::parallel_for("parity::diffusion::fused_frame", range2(fields_.exec, fields_.p.nz, regions.cells()),
                       regions);
}

template class PartInViews<float>;
template class PartInViews<double>;

}  // namespace parity::diffusion

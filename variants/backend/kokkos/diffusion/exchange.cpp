// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the portable exchanges: moves, and updates of a frame.
#include "exchange.hpp"

namespace parity::diffusion {

template <class T>
void PartInViews<T>::move(const char* what, const Moves<T>& moves) const {
  if constexpr (on_device) {
    namespace hints = Kokkos::Experimental;
    // With its regions the functor has more than 512 bytes. Without the light-weight hint, Kokkos would pass
    // it through constant memory and make the host wait for the previous kernel that used it, which is not
    // allowed during capture.
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
void PartInViews<T>::update(const RegionUpdate<T>& regions) const {
  Kokkos::parallel_for("parity::diffusion::fused_frame", range2(fields_.exec, fields_.p.nz, regions.cells()),
                       regions);
}

template class PartInViews<float>;
template class PartInViews<double>;

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// fused_overlap, Kokkos: the frame that waits for messages, one range over its cells and planes. Other
// regions are updated by the kernel of ../fused_exchange.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion {

template <class T>
void RegionsInViews<T>::update(const RegionUpdate<T>& regions) const {
  Kokkos::parallel_for("parity::diffusion::fused_frame",
                       range2(this->fields_.exec, this->fields_.p.nz, regions.cells()), regions);
}
template void RegionsInViews<float>::update(const RegionUpdate<float>&) const;
template void RegionsInViews<double>::update(const RegionUpdate<double>&) const;

namespace fused_overlap {
Entry kokkos() {
  return with_exchange<RegionsInViews, Algorithm>(with_part_tiles(exchange_algorithm<Algorithm>()));
}
}  // namespace fused_overlap

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-prescaled: samples scaled beforehand, so that a term is one multiplication cheaper and less
// accurate. Twin of cuda-prescaled.
#include "kde/kokkos/register_tile.hpp"

namespace parity::kde {

Entry kokkos_prescaled() {
  constexpr int queries = compat::exec_is_device() ? 8 : 64;
  Entry e = kokkos_entry("kokkos-prescaled",
                         "register tile on samples scaled beforehand: cheaper, less accurate; float",
                         "cuda-prescaled", "");
  e.accuracy = Accuracy::prescaled;
  e.expert = true;
  e.launches = compat::exec_is_device() ? 3 : 2;
  e.operations = 6;
  e.extra_bytes = partial_bytes;
  e.refuse = refuse_prescaling;
  e.make_f32 =
      make_sum<float, RegisterTile<float, queries, HardwareTerm<float, true>, 128, 6, 4, /*prescaled=*/true>>;
  return e;
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-mixed-prescaled: kokkos-mixed on samples scaled beforehand: cheaper, less accurate.
// Twin of cuda-mixed-prescaled.
#include "kde/kokkos/mixed.hpp"

namespace parity::kde {

Entry kokkos_mixed_prescaled() {
  Entry e = mixed_entry("kokkos-mixed-prescaled", "the same with samples scaled beforehand; float, GPU",
                        "cuda-mixed-prescaled");
  e.tunings = {"4", "2", "3"};
  e.accuracy = Accuracy::prescaled;
  e.launches += 1;
  e.refuse = refuse_other_shares_prescaled;
  e.make_f32 = make_mixed<true>;
  return e;
}

}  // namespace parity::kde

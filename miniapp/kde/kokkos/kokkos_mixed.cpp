// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-mixed: some exponentials from the special-function unit, the others from a polynomial, so that
// both kinds of unit work at once; difference first. Twin of cuda-mixed.
#include "kde/kokkos/mixed.hpp"

namespace parity::kde {

Entry kokkos_mixed() {
  Entry e = mixed_entry("kokkos-mixed",
                        "exponentials shared between special-function unit and polynomial; float, GPU",
                        "cuda-mixed");
  e.tunings = {"3", "2", "4"};
  e.refuse = refuse_other_shares;
  e.make_f32 = make_mixed<false>;
  return e;
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-mixed: some exponentials from the special-function unit, the others from a polynomial, so that
// both kinds of unit work at once; difference first. Twin of kokkos-mixed.
#include "mixed.cuh"

namespace parity::kde {

Entry cuda_mixed() {
  Entry e = cuda::mixed_entry();
  e.tunings = {"3", "2", "4"};
  e.refuse = refuse_other_shares;
  e.make_f32 = cuda::make_mixed<false>;
  return e;
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-mixed-prescaled: cuda-mixed on samples scaled beforehand: cheaper, less accurate.
// Twin of kokkos-mixed-prescaled.
#include "mixed.cuh"

namespace parity::kde {

Entry cuda_mixed_prescaled() {
  Entry e = cuda::mixed_entry();
  e.tunings = {"4", "2", "3"};
  e.accuracy = Accuracy::prescaled;
  e.launches += 1;
  e.refuse = refuse_other_shares_prescaled;
  e.make_f32 = cuda::make_mixed<true>;
  return e;
}

}  // namespace parity::kde

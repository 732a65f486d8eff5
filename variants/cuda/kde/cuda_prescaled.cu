// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-prescaled: samples scaled beforehand, so that a term is one multiplication cheaper and less
// accurate; eight queries a thread. Twin of kokkos-prescaled.
#include "register_tile.cuh"

namespace parity::kde {

Entry cuda_prescaled() {
  Entry e;
  e.accuracy = Accuracy::prescaled;
  e.launches = 3;
  e.operations = 6;
  e.extra_bytes = cuda::partial_bytes;
  e.refuse = refuse_prescaling;
  e.make_f32 =
      cuda::make_sum<float,
                     cuda::RegisterTile<float, 8, HardwareTerm<float, true>, 128, 6, 4, /*prescaled=*/true>>;
  return e;
}

}  // namespace parity::kde

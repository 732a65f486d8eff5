// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-symmetric: each unordered pair once, special-function unit, bitwise repeatable.
// Twin of kokkos-symmetric.
#include "symmetric.cuh"

namespace parity::kde {

Entry cuda_symmetric() { return cuda::symmetric_entry<HardwareTerm<float>>({"8x4", "8x16", "4x16"}); }

}  // namespace parity::kde

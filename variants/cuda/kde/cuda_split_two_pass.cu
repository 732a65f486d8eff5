// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-two-pass: (query tile, sample chunk) blocks, partial sums, a second kernel.
// Twin of kokkos-split.
#include "two_pass.cuh"

namespace parity::kde {

Entry cuda_split_two_pass() { return cuda::with_sum<cuda::TwoPass>(cuda::split_entry(2)); }

}  // namespace parity::kde

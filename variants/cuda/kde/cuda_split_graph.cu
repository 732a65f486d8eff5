// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-graph: both passes of cuda-split-two-pass as one captured graph. Twin of kokkos-split-graph.
#include "two_pass.cuh"

namespace parity::kde {

Entry cuda_split_graph() {
  Entry e = cuda::split_entry(2);
  e.captured = true;
  return cuda::with_sum<cuda::TwoPass, /*captured=*/true>(e);
}

}  // namespace parity::kde

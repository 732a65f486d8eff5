// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split-graph: both kernels of kokkos-split as one Kokkos graph. Twin of cuda-split-graph.
#include "kde/kokkos/split.hpp"

namespace parity::kde {

Entry kokkos_split_graph() {
  return with_graph<SplitSum>(
      split_entry("kokkos-split-graph", "the same as one Kokkos graph", "cuda-split-graph"));
}

}  // namespace parity::kde

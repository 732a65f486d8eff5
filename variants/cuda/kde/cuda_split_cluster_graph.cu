// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-cluster-graph: the kernel of cuda-split-cluster as a graph.
#include "split_cluster.cuh"

namespace parity::kde {

Entry cuda_split_cluster_graph() { return cuda::hardware_cluster_entry</*captured=*/true>(); }

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-cluster: the chunks of a query tile are one cluster of blocks.
#include "split_cluster.cuh"

namespace parity::kde {

Entry cuda_split_cluster() { return cuda::hardware_cluster_entry</*captured=*/false>(); }

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-plane-cluster: each plane stays in the registers of a cluster of blocks for all steps, in
// one launch; rows cross to the next block by asynchronous stores.
#include "plane_cluster.cuh"

namespace parity::diffusion {

Entry cuda_plane_cluster() { return cuda::plane_cluster_entry<cuda::Exchange::asynchronous>(); }

}  // namespace parity::diffusion

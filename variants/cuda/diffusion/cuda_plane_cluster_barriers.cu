// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-plane-cluster-barriers: cuda-plane-cluster with ordinary stores to the next block and a
// barrier of the whole cluster in every step. Where both have the same form they give the same bits, here by
// means that race detectors can follow; the difference in time is what asynchronous stores save.
#include "plane_cluster.cuh"

namespace parity::diffusion {

Entry cuda_plane_cluster_barriers() { return cuda::plane_cluster_entry<cuda::Exchange::barriers>(); }

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// plane_cluster: runs all steps of a plane in the registers of a cluster of blocks, which access each other's
// shared memory. It reads and writes each point once for any number of steps; sums by pairs, 7
// operations a point and step, 6 with DeferredScale. CUDA only: Kokkos has no clusters.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::plane_cluster {

/// defers_scaling: true if the kernel for this plane defers scaling for an alpha that is exact.
inline CostModel cost(const Problem& p, bool defers_scaling) {
  return cost_resident(p, 1, flops_by_pairs(p, defers_scaling));
}

}  // namespace parity::diffusion::plane_cluster

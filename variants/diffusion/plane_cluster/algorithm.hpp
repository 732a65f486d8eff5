// SPDX-License-Identifier: BSD-3-Clause
// plane_cluster: all steps of a plane in the registers of a cluster of blocks, which reach each other's
// shared memory. Each point is read and written once, whatever the number of steps; sums by pairs, 7
// operations a point and step, 6 with DeferredScale. Native alone: Kokkos has no clusters.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::plane_cluster {

/// defers_scaling: the kernel for this plane does so for an alpha that is exact.
inline CostModel cost(const Problem& p, bool defers_scaling) {
  return cost_resident(p, 1, flops_by_pairs(p, defers_scaling));
}

}  // namespace parity::diffusion::plane_cluster

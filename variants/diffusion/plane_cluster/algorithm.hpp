// SPDX-License-Identifier: BSD-3-Clause
// plane_cluster: all steps of a plane in the registers of a cluster of blocks, which reach each other's
// shared memory. Each point is read and written once, whatever the number of steps; sums by pairs, 7
// operations a point and step, 6 with DeferredScale. Native alone: Kokkos has no clusters.
#pragma once
#include "diffusion/variant.hpp"

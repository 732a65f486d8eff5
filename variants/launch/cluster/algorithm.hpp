// SPDX-License-Identifier: BSD-3-Clause
// cluster: an event is the launch of a kernel whose blocks form clusters of eight or, with a suffix, one pass
// of a cluster's barrier in one kernel. Kokkos and OpenMP have no clusters. Limits: compute capability 9.0,
// CUDA 11.8, a multiple of eight blocks.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch::cluster {

constexpr int cluster_blocks = 8;  ///< the largest size that every device with clusters supports

inline Entry algorithm(Role role) {
  Entry e;
  e.role = role;
  return e;
}

}  // namespace parity::launch::cluster

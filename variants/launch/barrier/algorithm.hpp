// SPDX-License-Identifier: BSD-3-Clause
// barrier: an event is one pass of a barrier in one kernel or parallel region: of a block (CUDA), a team
// (Kokkos) or the host's threads (OpenMP). Variants with a suffix use barriers of a warp, of neighbouring
// blocks or of several GPUs. Cost: one launch for all events. Limits: on a host, at most as many threads as
// OpenMP has.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch::barrier {

inline Entry algorithm() {
  Entry e;
  e.role = Role::barrier;
  return e;
}

}  // namespace parity::launch::barrier

// SPDX-License-Identifier: BSD-3-Clause
// barrier: an event is one more pass of a barrier in one kernel or parallel region: of a block (CUDA), a team
// (Kokkos), the host's threads (OpenMP). Rows with a suffix are barriers of a warp, of neighbouring blocks,
// or of several GPUs. Cost: one launch for all events. Limits: on a host as many threads as OpenMP has at
// most.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch::barrier {

inline Entry algorithm() {
  Entry e;
  e.role = Role::barrier;
  return e;
}

}  // namespace parity::launch::barrier

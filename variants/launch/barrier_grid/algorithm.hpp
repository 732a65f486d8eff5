// SPDX-License-Identifier: BSD-3-Clause
// barrier_grid: an event is one pass of a barrier of all blocks or teams of one kernel.
// Cost: one launch for all events. Limits: all of them must be resident at once, or they wait for ever.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch::barrier_grid {

inline Entry algorithm() {
  Entry e;
  e.role = Role::barrier;
  return e;
}

}  // namespace parity::launch::barrier_grid

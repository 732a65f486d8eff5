// SPDX-License-Identifier: BSD-3-Clause
// dependent: an event is a kernel that may begin while the previous one ends, and waits for it only before
// its own work (programmatic dependent launch). Kokkos and OpenMP have no such launch. Limits: compute
// capability 9.0. Cost: one launch.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch::dependent {

inline Entry algorithm() {
  Entry e;
  e.role = Role::launch;
  e.kernels = true;
  return e;
}

}  // namespace parity::launch::dependent

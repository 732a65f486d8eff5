// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-plane-tuned: one team takes a plane through all steps; a host's team of one thread
// has plain loops and no barriers.
#include "team_plane.hpp"

namespace parity::diffusion {

Entry plane_kokkos_tuned() {
  Entry e = team_plane_entry<HostLoops>();
  return e;
}

}  // namespace parity::diffusion

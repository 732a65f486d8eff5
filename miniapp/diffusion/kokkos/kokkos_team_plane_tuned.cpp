// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-team-plane-tuned: one team takes a plane through all steps; a host's team of one thread
// has plain loops and no barriers.
#include "diffusion/kokkos/team_plane.hpp"

namespace parity::diffusion {

Entry kokkos_team_plane_tuned() {
  Entry e = team_plane_entry<HostLoops>("kokkos-team-plane-tuned",
                                        "one team a plane, all steps in place, plain loops on a host",
                                        twin_of("", "openmp-plane"));
  e.expert = true;
  return e;
}

}  // namespace parity::diffusion

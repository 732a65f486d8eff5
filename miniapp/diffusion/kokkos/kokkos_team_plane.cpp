// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-team-plane: one team takes a plane through all steps, in scratch memory or cache.
#include "diffusion/kokkos/team_plane.hpp"

namespace parity::diffusion {

Entry kokkos_team_plane() {
  return team_plane_entry<TeamRanges>("kokkos-team-plane",
                                      "one team a plane, all steps in scratch memory or cache, in place",
                                      twin_of("", "openmp-plane"));
}

}  // namespace parity::diffusion

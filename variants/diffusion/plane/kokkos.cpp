// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-plane: one team takes a plane through all steps, in scratch memory or cache.
#include "team_plane.hpp"

namespace parity::diffusion {

Entry plane_kokkos() {
  return team_plane_entry<TeamRanges>();
}

}  // namespace parity::diffusion

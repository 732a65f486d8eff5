// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-team-scratch: one team a tile; the tile and its Laplacian live in scratch memory.
#include "diffusion/kokkos/team_scratch.hpp"

namespace parity::diffusion {

Entry kokkos_team_scratch() {
  return team_scratch_entry<TeamRanges, FirstOperations>(
      "kokkos-team-scratch", "one team a tile, tile and Laplacian in scratch memory",
      twin_of("", "openmp-tile"));
}

}  // namespace parity::diffusion

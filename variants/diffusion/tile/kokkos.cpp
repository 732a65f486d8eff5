// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-tile: one team a tile; the tile and its Laplacian live in scratch memory.
#include "team_scratch.hpp"

namespace parity::diffusion {

Entry tile_kokkos() {
  return team_scratch_entry<TeamRanges, FirstOperations>();
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-fixed-warps-tiled: the Laplacian of tiles in scratch memory by flat teams;
// the first threads load the ring around a tile, so that no warp diverges in the computation.
#include "diffusion/kokkos/shared_tile_teams.hpp"

namespace parity::diffusion {

Entry kokkos_shared_memory_fixed_warps_tiled() {
  return shared_tile_teams_entry<TileBoundary::fixed_warps>(
      "kokkos-shared-memory-fixed-warps-tiled",
      "Laplacian of tiles in scratch memory (flat teams), fixed warps load the ring",
      twin_of("cuda-shared-memory-fixed-warps", ""));
}

}  // namespace parity::diffusion

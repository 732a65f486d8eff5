// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-tiled: the Laplacian of tiles in scratch memory by flat teams; points at a
// tile's edge read their outer neighbours from global memory.
#include "diffusion/kokkos/shared_tile_teams.hpp"

namespace parity::diffusion {

Entry kokkos_shared_memory_tiled() {
  return shared_tile_teams_entry<TileBoundary::global>(
      "kokkos-shared-memory-tiled",
      "Laplacian of tiles in scratch memory (flat teams), tile edges read global memory",
      twin_of("cuda-shared-memory", ""));
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-overlapping-tiled: the Laplacian of overlapping tiles in scratch memory by
// flat teams; only their inner points are computed.
#include "diffusion/kokkos/shared_tile_teams.hpp"

namespace parity::diffusion {

Entry kokkos_shared_memory_overlapping_tiled() {
  return shared_tile_teams_entry<TileBoundary::overlapping>(
      "kokkos-shared-memory-overlapping-tiled",
      "Laplacian of overlapping tiles in scratch memory (flat teams)",
      twin_of("cuda-shared-memory-overlapping", ""));
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-fixed-warps-tuned: the Laplacian of tiles in scratch memory by flat teams;
// the first threads load the ring around a tile, so that no warp diverges in the computation.
#include "backend/kokkos/diffusion/shared_tile_teams.hpp"

namespace parity::diffusion {

Entry shared_memory_fixed_warps_kokkos_tuned() {
  return shared_tile_teams_entry<TileBoundary::fixed_warps>();
}

}  // namespace parity::diffusion

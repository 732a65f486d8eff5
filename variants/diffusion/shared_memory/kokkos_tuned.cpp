// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-tuned: the Laplacian of tiles in scratch memory by flat teams; points at a
// tile's edge read their outer neighbours from global memory.
#include "backend/kokkos/diffusion/shared_tile_teams.hpp"

namespace parity::diffusion {

Entry shared_memory_kokkos_tuned() {
  return shared_tile_teams_entry<TileBoundary::global>();
}

}  // namespace parity::diffusion

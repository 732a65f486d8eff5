// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-overlapping-tuned: the Laplacian of overlapping tiles in scratch memory by
// flat teams; only their inner points are computed.
#include "backend/kokkos/diffusion/shared_tile_teams.hpp"

namespace parity::diffusion {

Entry shared_memory_overlapping_kokkos_tuned() {
  return shared_tile_teams_entry<TileBoundary::overlapping>();
}

}  // namespace parity::diffusion

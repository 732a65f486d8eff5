// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-fixed-warps: the Laplacian of tiles in scratch memory; the ring around a
// tile is loaded by fixed warps, so that no warp diverges in the computation.
#include "backend/kokkos/diffusion/shared_tile.hpp"

namespace parity::diffusion {
Entry shared_memory_fixed_warps_kokkos() {
  return shared_tile_entry<TileBoundary::fixed_warps>();
}

}  // namespace parity::diffusion

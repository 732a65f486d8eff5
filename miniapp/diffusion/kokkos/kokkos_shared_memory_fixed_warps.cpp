// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-fixed-warps: the Laplacian of tiles in scratch memory; the ring around a
// tile is loaded by fixed warps, so that no warp diverges in the computation.
#include "diffusion/kokkos/shared_tile.hpp"

namespace parity::diffusion {
Entry kokkos_shared_memory_fixed_warps() {
  return shared_tile_entry<TileBoundary::fixed_warps>(
      "kokkos-shared-memory-fixed-warps",
      "Laplacian of tiles in scratch memory, fixed warps load the ring around them",
      twin_of("cuda-shared-memory-fixed-warps", ""));
}

}  // namespace parity::diffusion

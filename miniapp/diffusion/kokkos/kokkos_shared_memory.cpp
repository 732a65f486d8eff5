// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory: the Laplacian of tiles in scratch memory; points at a tile's edge
// read their outer neighbours from global memory (the original work's Algorithm 2).
#include "diffusion/kokkos/shared_tile.hpp"

namespace parity::diffusion {
Entry kokkos_shared_memory() {
  return shared_tile_entry<TileBoundary::global>(
      "kokkos-shared-memory", "Laplacian of tiles in scratch memory, tile edges read global memory",
      twin_of("cuda-shared-memory", ""));
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory: the Laplacian of tiles in scratch memory; points at a tile's edge
// read their outer neighbours from global memory (the original work's Algorithm 2).
#include "backend/kokkos/diffusion/shared_tile.hpp"

namespace parity::diffusion {
Entry shared_memory_kokkos() {
  return shared_tile_entry<TileBoundary::global>();
}

}  // namespace parity::diffusion

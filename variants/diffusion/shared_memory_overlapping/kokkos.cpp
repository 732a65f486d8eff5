// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-overlapping: the Laplacian of overlapping tiles in scratch memory; only
// their inner points are computed.
#include "backend/kokkos/diffusion/shared_tile.hpp"

namespace parity::diffusion {
Entry shared_memory_overlapping_kokkos() {
  return shared_tile_entry<TileBoundary::overlapping>();
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-overlapping: the Laplacian of overlapping tiles in scratch memory; only
// their inner points are computed.
#include "diffusion/kokkos/shared_tile.hpp"

namespace parity::diffusion {
Entry kokkos_shared_memory_overlapping() {
  return shared_tile_entry<TileBoundary::overlapping>(
      "kokkos-shared-memory-overlapping",
      "Laplacian of overlapping tiles in scratch memory, only inner points computed",
      twin_of("cuda-shared-memory-overlapping", ""));
}

}  // namespace parity::diffusion

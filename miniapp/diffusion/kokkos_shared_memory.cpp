// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory: the Laplacian of tiles in scratch memory; points at a tile's edge
// read their outer neighbours from global memory (the first study's Algorithm 2).
#include "diffusion/kokkos_shared_tile.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosSharedMemory : public KokkosSharedTile<T, TileBoundary::global, KokkosSharedMemory<T>> {
 public:
  using KokkosSharedTile<T, TileBoundary::global, KokkosSharedMemory<T>>::KokkosSharedTile;
};

}  // namespace

Entry kokkos_shared_memory() {
  return with_steps<KokkosSharedMemory>(shared_tile_entry<TileBoundary::global>(
      "kokkos-shared-memory", "Laplacian of tiles in scratch memory, tile edges read global memory",
      twin_of("cuda-shared-memory", "")));
}

}  // namespace parity::diffusion

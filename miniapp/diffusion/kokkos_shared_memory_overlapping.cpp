// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-shared-memory-overlapping: the Laplacian of overlapping tiles in scratch memory; only
// their inner points are computed.
#include "diffusion/kokkos_shared_tile.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosSharedMemoryOverlapping
    : public KokkosSharedTile<T, TileBoundary::overlapping, KokkosSharedMemoryOverlapping<T>> {
 public:
  using KokkosSharedTile<T, TileBoundary::overlapping, KokkosSharedMemoryOverlapping<T>>::KokkosSharedTile;
};

}  // namespace

Entry kokkos_shared_memory_overlapping() {
  return with_steps<KokkosSharedMemoryOverlapping>(shared_tile_entry<TileBoundary::overlapping>(
      "kokkos-shared-memory-overlapping",
      "Laplacian of overlapping tiles in scratch memory, only inner points computed",
      twin_of("cuda-shared-memory-overlapping", "")));
}

}  // namespace parity::diffusion

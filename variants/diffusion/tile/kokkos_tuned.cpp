// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-tile-tuned: one team a tile; the tile and its Laplacian live in scratch memory.
// The halo is an expert's, and a host's team of one thread has plain loops.
#include "team_scratch.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"

namespace parity::diffusion {

Entry tile_kokkos_tuned() {
  Entry e = team_scratch_entry<HostLoops, TiledOperations>();
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    return refuse_team_tile(p, t);
  };
  return e;
}

}  // namespace parity::diffusion

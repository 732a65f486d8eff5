// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-team-scratch-tuned: one team a tile; the tile and its Laplacian live in scratch memory.
// The halo is an expert's, and a host's team of one thread has plain loops.
#include "diffusion/kokkos/team_scratch.hpp"
#include "diffusion/kokkos/tiled_operations.hpp"

namespace parity::diffusion {

Entry kokkos_team_scratch_tuned() {
  Entry e = team_scratch_entry<HostLoops, TiledOperations>(
      "kokkos-team-scratch-tuned",
      "one team a tile in scratch memory, halo by flat teams, plain loops on a host",
      twin_of("", "openmp-tile"));
  e.expert = true;
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    return refuse_team_tile(p, t);
  };
  return e;
}

}  // namespace parity::diffusion

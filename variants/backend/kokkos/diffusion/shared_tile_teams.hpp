// SPDX-License-Identifier: BSD-3-Clause
// The shared-memory tiles of diffusion/shared_tile.hpp as flat teams. A host has no such memory: there the
// tiles are those of the idiomatic rows.
#pragma once
#include "in_place.hpp"
#include "shared_tile.hpp"
#include "tiled_operations.hpp"
#include "runtime/kokkos/scratch.hpp"

namespace parity::diffusion {

using SharedTileForms = SharedTilesAs<FormList>;

template <class T, class Tiles>
struct SharedTileTeams {
  static constexpr std::size_t bytes = Tiles::points * sizeof(T);
  Tiles tiles;
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const typename Tiles::Share share(tiles, compat::scratch_of<T>(team, bytes), team.league_rank(),
                                      team.team_rank());
    share.load();
    team.team_barrier();
    share.compute();
  }
};

template <class T, TileBoundary boundary>
struct TeamTileLaplacian {
  Tuning tile;
  TeamTileLaplacian(const Problem&, const Tuning& t) : tile(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int m) const {
    if constexpr (compat::exec_is_device())
      SharedTileForms::with(tile, [&](auto form) {
        using Tiles = SharedTile<T, boundary, decltype(form)>;
        using Functor = SharedTileTeams<T, Tiles>;
        using Policy = Kokkos::TeamPolicy<
            Exec, Kokkos::LaunchBounds<unsigned(Tiles::threads), unsigned(decltype(form)::least)>>;
        Policy policy(queue.exec(), int(Tiles::teams(p.nz, p.pitch(), p.rows(), m)), Tiles::threads, 1);
        policy.set_scratch_size(0, Kokkos::PerTeam(int(Functor::bytes + 16)));
        queue.parallel_for("parity::diffusion::laplacian_shared_tiled", policy,
                           Functor{Tiles(from.data(), to.data(), p.pitch(), p.rows(), m)});
      });
    else
      TileLaplacian<T, boundary>(p, tile)(queue, p, from, to, m);
  }
};

template <TileBoundary boundary>
struct TeamTilesOf {
  template <class T>
  using Laplacian = TeamTileLaplacian<T, boundary>;
};
template <TileBoundary boundary>
Entry shared_tile_teams_entry() {
  Entry e = compat::exec_is_device() ? expert_entry<SharedTileForms>(tile_axes)
                                     : shared_tile_entry<boundary>();
  e.model = [](const Problem& p) { return cost_in_place(p, 8, 9, 2, two_stage_flops); };
  return with_elementary_steps<TeamTilesOf<boundary>::template Laplacian, TiledOperations>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// tile, Kokkos, tuned: the first version with the tuned halo update; on a host, a team of one thread runs
// plain loops without barriers.
#include "backend/kokkos/diffusion/tuned.hpp"
#include "scratch_tile.hpp"

namespace parity::diffusion::tile {
namespace {

struct Step {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& from_field,
                  const Field<T>& to_field) const {
    const int nx = int(p.nx), ny = int(p.ny), pitch = int(p.pitch()), rows = int(p.rows()), h = int(p.halo);
    const int ty = tuning[0], tx = tuning[1], tiles_x = (nx + tx - 1) / tx, tiles_y = (ny + ty - 1) / ty;
    const std::int64_t phi_size = phi_points(tuning), lap_size = lap_points(tuning),
                       bytes = tile_bytes(p, tuning);
    const int level = scratch_level(bytes);
    const T alpha = T(p.alpha);
    TeamPolicy policy(queue.exec(), int(p.nz) * tiles_y * tiles_x, team_size(tuning[2]), vector_length());
    policy.set_scratch_size(level, Kokkos::PerTeam(int(bytes)));
    const T* const in = from_field.data();
    T* const out = to_field.data();
    Kokkos::parallel_for(
        queue, "parity::diffusion::team_scratch", policy, KOKKOS_LAMBDA(const Team& team) {
          T* const phi = team_scratch<T>(team, level, phi_size);
          T* const lap = team_scratch<T>(team, level, lap_size);
          const int tile = team.league_rank(), k = tile / (tiles_y * tiles_x);
          const int j0 = tile / tiles_x % tiles_y * ty, i0 = tile % tiles_x * tx;
          const int height = ny - j0 < ty ? ny - j0 : ty, width = nx - i0 < tx ? nx - i0 : tx;
          // Padded coordinate (j0 + h - 2, i0 + h - 2) is the corner of the tile with its two rings.
          const std::size_t corner = (std::size_t(k) * rows + j0 + h - 2) * pitch + i0 + h - 2;
          HostLoops::rows(team, 0, height + 4, [&](int r) {
            const T* const from = in + corner + std::size_t(r) * pitch;
            T* const to = phi + r * (tx + 4);
            vector_for(team, width + 4, [&](auto c) { to[c] = from[c]; });
          });
          HostLoops::barrier(team);
          HostLoops::rows(team, 0, height + 2, [&](int r) {
            const T* const c = phi + (r + 1) * (tx + 4) + 1;
            const T *const south = c - (tx + 4), *const north = c + (tx + 4);
            T* const to = lap + r * (tx + 2);
            vector_for(team, width + 2,
                       [&](auto i) { to[i] = laplacian_at(c[i], c[i - 1], c[i + 1], south[i], north[i]); });
          });
          HostLoops::barrier(team);
          HostLoops::rows(team, 0, height, [&](int r) {
            const T* const centre = phi + (r + 2) * (tx + 4) + 2;
            const T* const c = lap + (r + 1) * (tx + 2) + 1;
            const T *const south = c - (tx + 2), *const north = c + (tx + 2);
            T* const to = out + corner + std::size_t(r + 2) * pitch + 2;
            vector_for(team, width, [&](auto i) {
              to[i] = update(centre[i], alpha, laplacian_at(c[i], c[i - 1], c[i + 1], south[i], north[i]));
            });
          });
        });
  }
};

}  // namespace

Entry kokkos_tuned() {
  Entry e = with_scratch_tiles(algorithm());
  e.refuse += refuse_large_planes;  // the tuned halo counts its cells in 32 bits
  return with_steps<TunedHaloBefore, Step>(e);
}

}  // namespace parity::diffusion::tile

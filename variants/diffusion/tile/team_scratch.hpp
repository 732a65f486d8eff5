// SPDX-License-Identifier: BSD-3-Clause
// One team a tile; the tile and its Laplacian live in scratch memory. Ranges: how a team shares rows;
// Operations: who updates the halo.
#pragma once
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {

inline std::int64_t phi_points(const Tuning& t) { return std::int64_t(t[0] + 4) * (t[1] + 4); }
inline std::int64_t lap_points(const Tuning& t) { return std::int64_t(t[0] + 2) * (t[1] + 2); }
inline std::int64_t tile_bytes(const Problem& p, const Tuning& t) {
  return p.precision == Precision::f32
             ? scratch_bytes<float>(phi_points(t)) + scratch_bytes<float>(lap_points(t))
             : scratch_bytes<double>(phi_points(t)) + scratch_bytes<double>(lap_points(t));
}

template <class T, class Ranges, class Operations>
struct TeamScratch {
  Fields<T> f;
  Tuning tuning;
  TeamScratch(const Problem& p, const Tuning& t) : f(Fields<T>::padded(p)), tuning(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from_field, const Field<T>& to_field) const {
    const Problem& p = f.p;
    const int nx = int(p.nx), ny = int(p.ny), pitch = int(p.pitch()), rows = int(p.rows()), h = int(p.halo);
    const int ty = tuning[0], tx = tuning[1], tiles_x = (nx + tx - 1) / tx, tiles_y = (ny + ty - 1) / ty;
    const std::int64_t phi_size = phi_points(tuning), lap_size = lap_points(tuning),
                       bytes = tile_bytes(p, tuning);
    const int level = scratch_level(bytes);
    const T alpha = T(p.alpha);
    TeamPolicy policy(queue.exec(), int(p.nz) * tiles_y * tiles_x, team_size(tuning[2]), vector_length());
    policy.set_scratch_size(level, Kokkos::PerTeam(int(bytes)));
    Operations::update_halo(queue, p, from_field);
    const T* const in = from_field.data();
    T* const out = to_field.data();
    queue.parallel_for(
        "parity::diffusion::team_scratch", policy, KOKKOS_LAMBDA(const Team& team) {
          T* const phi = team_scratch<T>(team, level, phi_size);
          T* const lap = team_scratch<T>(team, level, lap_size);
          const int tile = team.league_rank(), k = tile / (tiles_y * tiles_x);
          const int j0 = tile / tiles_x % tiles_y * ty, i0 = tile % tiles_x * tx;
          const int height = ny - j0 < ty ? ny - j0 : ty, width = nx - i0 < tx ? nx - i0 : tx;
          // Padded coordinate (j0 + h - 2, i0 + h - 2) is the corner of the tile with its two rings.
          const std::size_t corner = (std::size_t(k) * rows + j0 + h - 2) * pitch + i0 + h - 2;
          Ranges::rows(team, 0, height + 4, [&](int r) {
            const T* const from = in + corner + std::size_t(r) * pitch;
            T* const to = phi + r * (tx + 4);
            vector_for(team, width + 4, [&](auto c) { to[c] = from[c]; });
          });
          Ranges::barrier(team);
          Ranges::rows(team, 0, height + 2, [&](int r) {
            const T* const c = phi + (r + 1) * (tx + 4) + 1;
            const T *const south = c - (tx + 4), *const north = c + (tx + 4);
            T* const to = lap + r * (tx + 2);
            vector_for(team, width + 2,
                       [&](auto i) { to[i] = laplacian(c[i], c[i - 1], c[i + 1], south[i], north[i]); });
          });
          Ranges::barrier(team);
          Ranges::rows(team, 0, height, [&](int r) {
            const T* const centre = phi + (r + 2) * (tx + 4) + 2;
            const T* const c = lap + (r + 1) * (tx + 2) + 1;
            const T *const south = c - (tx + 2), *const north = c + (tx + 2);
            T* const to = out + corner + std::size_t(r + 2) * pitch + 2;
            vector_for(team, width, [&](auto i) {
              to[i] = update(centre[i], alpha, laplacian(c[i], c[i - 1], c[i + 1], south[i], north[i]));
            });
          });
        });
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    Operations::update_halo(queue, f.p, result);
  }
};

template <class Ranges, class Operations>
struct TeamScratchWith {
  template <class T>
  using Step = TeamScratch<T, Ranges, Operations>;
};

inline std::optional<std::string> refuse_team_tile(const Problem& p, const Tuning& t) {
  if (compat::exec_is_device() && t[2] * vector_length() > 1024) return "a team of more than 1024 threads";
  if (scratch_level(tile_bytes(p, t)) < 0)
    return "the tile " + to_string(t) + " does not fit any scratch memory";
  return std::nullopt;
}

template <class Ranges, class Operations>
Entry team_scratch_entry() {
  Entry e =
      kokkos_entry({"8x128x8", "16x64x8", "8x64x8", "16x32x8", "32x32x8", "32x64x16"},
                   {"32x256x1", "16x128x1", "64x64x1", "32x1024x1"}, "rows x columns of a tile x team size");
  e.refuse = refuse_team_tile;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, two_stage_flops); };
  return with_steps<TeamScratchWith<Ranges, Operations>::template Step>(e);
}

}  // namespace parity::diffusion

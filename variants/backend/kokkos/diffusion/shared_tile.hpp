// SPDX-License-Identifier: BSD-3-Clause
// The Laplacian with a tile of the field in team scratch memory, in the three forms that the original work
// names. One team a tile, a thread a row, vector lanes along x.
#pragma once
#include "in_place.hpp"
#include "team.hpp"
#include "two_stage.hpp"
#include "diffusion/shared_tile.hpp"

namespace parity::diffusion {

template <TileBoundary boundary>
std::int64_t shared_tile_points(const Tuning& t) {
  const int ring = boundary == TileBoundary::fixed_warps ? 2 : 0;
  return std::int64_t(t[0] + ring) * (t[1] + ring);
}

/// Tiles of ty x tx loaded points cover a plane (rows, pitch) but for a margin of m points.
template <class T, TileBoundary boundary>
struct SharedTiles {
  static constexpr int ring = boundary == TileBoundary::fixed_warps ? 1 : 0,
                       inset = boundary == TileBoundary::overlapping ? 1 : 0;
  const T* f;
  T* t;
  int pitch, rows, m, ty, tx;
  std::int64_t points;

  /// A tile updates this much of what it loads.
  KOKKOS_INLINE_FUNCTION int out_y() const { return ty - 2 * inset; }
  KOKKOS_INLINE_FUNCTION int out_x() const { return tx - 2 * inset; }
  KOKKOS_INLINE_FUNCTION int tiles_y() const { return (rows - 2 * m + out_y() - 1) / out_y(); }
  KOKKOS_INLINE_FUNCTION int tiles_x() const { return (pitch - 2 * m + out_x() - 1) / out_x(); }

  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const int stride = tx + 2 * ring;
    T* const shared = team_scratch<T>(team, 0, points);
    const int n = team.league_rank(), k = n / (tiles_y() * tiles_x());
    // First loaded point, without the ring, in padded coordinates.
    const int j0 = n / tiles_x() % tiles_y() * out_y() + m - inset, i0 = n % tiles_x() * out_x() + m - inset;
    const int loaded_y = rows - m + inset - j0 < ty ? rows - m + inset - j0 : ty,
              loaded_x = pitch - m + inset - i0 < tx ? pitch - m + inset - i0 : tx;
    const std::size_t corner = (std::size_t(k) * rows + j0) * pitch + i0;
    T* const tile = shared + ring * (stride + 1);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, loaded_y), [&](int r) {
      const T* const row = f + corner + std::size_t(r) * pitch;
      vector_for(team, loaded_x, [&](auto c) { tile[r * stride + c] = row[c]; });
    });
    if constexpr (ring == 1) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 4), [&](int side) {
        if (side < 2) {
          const int r = side == 0 ? -1 : loaded_y;
          const T* const row = f + corner + std::ptrdiff_t(r) * pitch;
          vector_for(team, loaded_x, [&](auto c) { tile[r * stride + c] = row[c]; });
        } else {
          const int c = side == 2 ? -1 : loaded_x;
          const T* const column = f + corner + c;
          vector_for(team, loaded_y, [&](auto r) { tile[r * stride + c] = column[std::size_t(r) * pitch]; });
        }
      });
    }
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, loaded_y - 2 * inset), [&](int inner) {
      const int r = inner + inset;
      const T* const row = f + corner + std::size_t(r) * pitch;
      T* const result = t + corner + std::size_t(r) * pitch;
      const T* const s = tile + r * stride;
      vector_for(team, loaded_x - 2 * inset, [&](auto inner_column) {
        const auto c = inner_column + inset;
        if constexpr (boundary == TileBoundary::global)
          result[c] = laplacian(s[c], c > 0 ? s[c - 1] : row[-1], c + 1 < loaded_x ? s[c + 1] : row[c + 1],
                                r > 0 ? s[c - stride] : row[c - pitch],
                                r + 1 < loaded_y ? s[c + stride] : row[c + pitch]);
        else
          result[c] = laplacian(s[c], s[c - 1], s[c + 1], s[c - stride], s[c + stride]);
      });
    });
  }
};

template <class T, TileBoundary boundary>
struct TileLaplacian {
  Tuning tile;
  TileLaplacian(const Problem&, const Tuning& t) : tile(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int m) const {
    const SharedTiles<T, boundary> tiles{
        from.data(), to.data(), int(p.pitch()), int(p.rows()),
        m,           tile[0],   tile[1],        shared_tile_points<boundary>(tile)};
    TeamPolicy policy(queue.exec(), int(p.nz) * tiles.tiles_y() * tiles.tiles_x(), team_size(tile[0]),
                      vector_length());
    policy.set_scratch_size(0, Kokkos::PerTeam(int(scratch_bytes<T>(tiles.points))));
    queue.parallel_for("parity::diffusion::laplacian_shared", policy, tiles);
  }
};

template <TileBoundary boundary>
struct Of {
  template <class T>
  using Laplacian = TileLaplacian<T, boundary>;
};
template <TileBoundary boundary>
Entry shared_tile_entry() {
  Entry e = kokkos_entry({"8x32", "4x32", "16x32", "8x64", "4x128"}, {"16x128", "8x64"},
                         "rows x columns of a tile");
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] < 3 || t[1] < 3) return "its tiles need at least 3 x 3 points";
    if (compat::exec_is_device() && t[0] * vector_length() > 1024) return "a team of more than 1024 threads";
    if (scratch_level(scratch_bytes<double>(shared_tile_points<boundary>(t))) != 0)
      return "the tile " + to_string(t) + " does not fit the scratch memory of a team";
    return std::nullopt;
  };
  e.model = [](const Problem& p) { return cost_in_place(p, 8, 9, 2, two_stage_flops); };
  return with_elementary_steps<Of<boundary>::template Laplacian>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// shared_memory, tuned Kokkos: on a GPU, flat teams compute tiles of compile-time size, several rows per
// thread; points at a tile's edge read their outer neighbours from global memory. On a host, one team
// computes one tile, with a vector loop over each row.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"
#include "runtime/kokkos/team_hints.hpp"

namespace parity::diffusion::shared_memory {
namespace {

/// One team per tile: along x, then along y, then through the planes. A thread's rows lie a team's height
/// apart.
template <class Tile, class T, class Queue>
void laplacian_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& from,
                         const FieldRows<T>& to) {
  using Policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(Tile::threads), unsigned(Tile::least)>>;
  constexpr int width = Tile::tile_width, height = Tile::tile_height * Tile::rows, stride = width;
  constexpr std::size_t bytes = sizeof(T) * height * stride;
  const int rows = int(p.rows()) - 2 * from.margin, columns = int(p.pitch()) - 2 * from.margin;
  const std::int64_t across = ceil_divide(columns, width), tiles = across * ceil_divide(rows, height);
  const runtime::FastDivide by_row(across), by_plane(tiles);
  Policy policy(queue.exec(), int(tiles * p.nz), Tile::threads, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(bytes + 16)));
  Kokkos::parallel_for(
      queue, "parity::diffusion::shared_memory_tuned", policy, KOKKOS_LAMBDA(const Team& team) {
        T* const tile = compat::scratch_of<T>(team, bytes);
        const unsigned rank = unsigned(team.league_rank()), thread = unsigned(team.team_rank());
        const unsigned k = by_plane(rank), n = by_plane.remainder(rank, k), down = by_row(n);
        const int ty = int(thread / width), tx = int(thread % width);
        // The tile's first point and its size, cut at the end of the domain.
        const int j0 = int(down) * height, i0 = int(by_row.remainder(n, down)) * width;
        const int ny = rows - j0 < height ? rows - j0 : height,
                  nx = columns - i0 < width ? columns - i0 : width;
        const std::size_t first = from.offset(int(k), j0 + ty) + std::ptrdiff_t(i0 + tx);
        const T* const f = from.data + first;
        T *const t = to.data + first, *const own = tile + ty * stride + tx;
        const int pitch = from.pitch;
        const std::ptrdiff_t apart = std::ptrdiff_t(Tile::tile_height) * pitch;  // between a thread's rows
        // Issue all loads before waiting for the first.
        T values[Tile::rows] = {};
        PARITY_UNROLL
        for (int u = 0; u < Tile::rows; ++u)
          if (tx < nx && u * Tile::tile_height + ty < ny) values[u] = f[u * apart];
        PARITY_UNROLL
        for (int u = 0; u < Tile::rows; ++u)
          if (tx < nx && u * Tile::tile_height + ty < ny) own[u * Tile::tile_height * stride] = values[u];
        team.team_barrier();
        if (tx >= nx) return;
        PARITY_UNROLL
        for (int u = 0; u < Tile::rows; ++u) {
          const int r = u * Tile::tile_height + ty;
          if (r >= ny) continue;
          const T *const s = own + u * Tile::tile_height * stride, *const g = f + u * apart;
          const bool west = tx > 0, east = tx + 1 < nx, south = r > 0, north = r + 1 < ny;
          T value;  // shared by both branches, so that a row is stored at once
          if (west && east && south && north)
            value = laplacian_at(s[0], s[-1], s[1], s[-stride], s[stride]);
          else
            value = laplacian_at(s[0], west ? s[-1] : g[-1], east ? s[1] : g[1],
                                 south ? s[-stride] : g[-pitch], north ? s[stride] : g[pitch]);
          t[u * apart] = value;
        }
      });
}

template <class T, class Queue>
void laplacian_on_host(Queue& queue, const Problem& p, const Tuning& tuning, const FieldRows<const T>& from,
                       const FieldRows<T>& to) {
  const int height = tuning[0], width = tuning[1], stride = width;
  const int rows = int(p.rows()) - 2 * from.margin, columns = int(p.pitch()) - 2 * from.margin;
  const int down = int(ceil_divide(rows, height)), across = int(ceil_divide(columns, width));
  const std::int64_t points = std::int64_t(height) * stride;
  TeamPolicy policy(queue.exec(), int(p.nz) * down * across, 1, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(scratch_bytes<T>(points))));
  Kokkos::parallel_for(
      queue, "parity::diffusion::shared_memory_tuned", policy, KOKKOS_LAMBDA(const Team& team) {
        T* const tile = team_scratch<T>(team, 0, points);
        const int n = team.league_rank(), k = n / (down * across);
        // The tile's first point and its size, cut at the end of the domain.
        const int j0 = n / across % down * height, i0 = n % across * width;
        const int ny = rows - j0 < height ? rows - j0 : height,
                  nx = columns - i0 < width ? columns - i0 : width;
        for (int r = 0; r < ny; ++r) {
          const T* const row = from.row(k, j0 + r) + i0;
          vector_for(team, nx, [&](auto c) { tile[r * stride + c] = row[c]; });
        }
        const std::ptrdiff_t pitch = from.pitch;
        for (int r = 0; r < ny; ++r) {
          const T *const row = from.row(k, j0 + r) + i0, *const s = tile + r * stride;
          T* const result = to.row(k, j0 + r) + i0;
          vector_for(team, nx, [&](auto c) {
            result[c] = laplacian_at(s[c], c > 0 ? s[c - 1] : row[-1], c + 1 < nx ? s[c + 1] : row[c + 1],
                                     r > 0 ? s[c - stride] : row[c - pitch],
                                     r + 1 < ny ? s[c + stride] : row[c + pitch]);
          });
        }
      });
}

struct TunedSharedMemory : TunedElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& from,
                              const Field<T>& to) {
    const FieldRows<const T> f = field_rows<const T>(from);
    const FieldRows<T> t = field_rows<T>(to);
    if constexpr (on_device)
      SharedTileConfigs::dispatch(tuning,
                                  [&](auto tile) { laplacian_on_device<decltype(tile)>(queue, p, f, t); });
    else
      laplacian_on_host(queue, p, tuning, f, t);
  }
};

}  // namespace

Entry kokkos_tuned() { return with_steps<TwoStage, TunedSharedMemory>(with_shared_tiles(algorithm())); }

}  // namespace parity::diffusion::shared_memory

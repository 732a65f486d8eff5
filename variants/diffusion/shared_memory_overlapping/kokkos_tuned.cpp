// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_overlapping, tuned Kokkos: on a GPU flat teams over tiles that the compiler knows, several
// rows a thread; tiles overlap by two points and inner ones are computed. On a host a team a tile, rows with
// a vector loop.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"
#include "runtime/kokkos/scratch.hpp"

namespace parity::diffusion::shared_memory_overlapping {
namespace {

/// A team a tile: along x, then along y, then through the planes; the rows of a thread lie a team's height
/// apart.
template <class Tile, class T, class Queue>
void laplacian_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& from,
                         const FieldRows<T>& to) {
  using Policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(Tile::threads), unsigned(Tile::least)>>;
  constexpr int width = Tile::tile_width, height = Tile::tile_height * Tile::rows, stride = width;
  constexpr std::size_t bytes = sizeof(T) * height * stride;
  const int rows = int(p.rows()) - 2 * from.margin, columns = int(p.pitch()) - 2 * from.margin;
  const std::int64_t across = ceil_divide(columns, width - 2), tiles = across * ceil_divide(rows, height - 2);
  const runtime::FastDivide by_row(across), by_plane(tiles);
  Policy policy(queue.exec(), int(tiles * p.nz), Tile::threads, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(bytes + 16)));
  queue.parallel_for(
      "parity::diffusion::shared_memory_overlapping_tuned", policy, KOKKOS_LAMBDA(const Team& team) {
        T* const tile = compat::scratch_of<T>(team, bytes);
        const unsigned rank = unsigned(team.league_rank()), thread = unsigned(team.team_rank());
        const unsigned k = by_plane(rank), n = by_plane.remainder(rank, k), down = by_row(n);
        const int ty = int(thread / width), tx = int(thread % width);
        // The first point that the tile loads and the points that it loads.
        const int j0 = int(down) * (height - 2) - 1, i0 = int(by_row.remainder(n, down)) * (width - 2) - 1;
        const int ny = rows + 1 - j0 < height ? rows + 1 - j0 : height,
                  nx = columns + 1 - i0 < width ? columns + 1 - i0 : width;
        const std::size_t first = from.offset(int(k), j0 + ty) + std::ptrdiff_t(i0 + tx);
        const T* const f = from.data + first;
        T *const t = to.data + first, *const own = tile + ty * stride + tx;
        const std::ptrdiff_t pitch = from.pitch,
                             apart = Tile::tile_height * pitch;  // from row to row of a thread
        // Every value is asked for before the first is waited for.
        T values[Tile::rows] = {};
        PARITY_UNROLL
        for (int u = 0; u < Tile::rows; ++u)
          if (tx < nx && u * Tile::tile_height + ty < ny) values[u] = f[u * apart];
        PARITY_UNROLL
        for (int u = 0; u < Tile::rows; ++u)
          if (tx < nx && u * Tile::tile_height + ty < ny) own[u * Tile::tile_height * stride] = values[u];
        team.team_barrier();
        if (tx < 1 || tx >= nx - 1) return;
        PARITY_UNROLL
        for (int u = 0; u < Tile::rows; ++u) {
          const int r = u * Tile::tile_height + ty;
          if (r < 1 || r >= ny - 1) continue;
          const T* const s = own + u * Tile::tile_height * stride;
          t[u * apart] = laplacian_at(s[0], s[-1], s[1], s[-stride], s[stride]);
        }
      });
}

template <class T, class Queue>
void laplacian_on_host(Queue& queue, const Problem& p, const Tuning& tuning, const FieldRows<const T>& from,
                       const FieldRows<T>& to) {
  const int height = tuning[0], width = tuning[1], stride = width;
  const int rows = int(p.rows()) - 2 * from.margin, columns = int(p.pitch()) - 2 * from.margin;
  const int down = int(ceil_divide(rows, height - 2)), across = int(ceil_divide(columns, width - 2));
  const std::int64_t points = std::int64_t(height) * stride;
  TeamPolicy policy(queue.exec(), int(p.nz) * down * across, 1, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(scratch_bytes<T>(points))));
  queue.parallel_for(
      "parity::diffusion::shared_memory_overlapping_tuned", policy, KOKKOS_LAMBDA(const Team& team) {
        T* const tile = team_scratch<T>(team, 0, points);
        const int n = team.league_rank(), k = n / (down * across);
        // The first point that the tile loads and the points that it loads.
        const int j0 = n / across % down * (height - 2) - 1, i0 = n % across * (width - 2) - 1;
        const int ny = rows + 1 - j0 < height ? rows + 1 - j0 : height,
                  nx = columns + 1 - i0 < width ? columns + 1 - i0 : width;
        for (int r = 0; r < ny; ++r) {
          const T* const row = from.row(k, j0 + r) + i0;
          vector_for(team, nx, [&](auto c) { tile[r * stride + c] = row[c]; });
        }
        for (int r = 1; r < ny - 1; ++r) {
          const T* const s = tile + r * stride + 1;
          T* const result = to.row(k, j0 + r) + (i0 + 1);
          vector_for(team, nx - 2, [&](auto c) {
            result[c] = laplacian_at(s[c], s[c - 1], s[c + 1], s[c - stride], s[c + stride]);
          });
        }
      });
}

struct TunedSharedMemory : TunedElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& from,
                              const Field<T>& to, int m) {
    const FieldRows<const T> f = field_rows<const T>(from, m);
    const FieldRows<T> t = field_rows<T>(to, m);
    if constexpr (on_device)
      SharedTileConfigs::dispatch(tuning,
                                  [&](auto tile) { laplacian_on_device<decltype(tile)>(queue, p, f, t); });
    else
      laplacian_on_host(queue, p, tuning, f, t);
  }
};

}  // namespace

Entry kokkos_tuned() {
  return with_operations<TunedSharedMemory>(
      with_shared_tiles(shared_memory_overlapping_algorithm<on_device>()));
}

}  // namespace parity::diffusion::shared_memory_overlapping

// SPDX-License-Identifier: BSD-3-Clause
// halo_update, tuned Kokkos: a flat range over tiles that the compiler knows, several rows a thread,
// divisions prepared on the host; on a host groups of rows with a vector loop.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::halo_update {
namespace {

template <class Tile, class T, class Queue>
void laplacian_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& from,
                         const FieldRows<T>& to) {
  const int ny = int(p.rows()) - 2 * from.margin, nx = int(p.pitch()) - 2 * from.margin;
  const std::int64_t across = ceil_divide(nx, Tile::tile_width),
                     down = ceil_divide(ny, Tile::tile_height * Tile::rows),
                     threads = across * down * p.nz * Tile::threads;
  const runtime::FastDivide by_row(across), by_plane(across * down);
  queue.parallel_for(
      "parity::diffusion::laplacian_tuned", flat_range<Tile, T>(queue.exec(), threads),
      KOKKOS_LAMBDA(unsigned n) {
        const unsigned team = n / Tile::threads, thread = n % Tile::threads;
        const unsigned k = by_plane(team), tile = by_plane.remainder(team, k), row = by_row(tile);
        const int i = int(by_row.remainder(tile, row) * Tile::tile_width + thread % Tile::tile_width);
        int j = int((row * Tile::tile_height + thread / Tile::tile_width) * Tile::rows);
        if (i >= nx) return;
        if (j + Tile::rows <= ny) {
          // All values before the first store: what rows have in common is loaded once, and loads overlap.
          T values[Tile::rows];
          PARITY_UNROLL
          for (int u = 0; u < Tile::rows; ++u) values[u] = laplacian_at(from.around(int(k), j + u, i));
          PARITY_UNROLL
          for (int u = 0; u < Tile::rows; ++u) to(int(k), j + u, i) = values[u];
        } else {
          PARITY_UNROLL_BY(1)
          for (; j < ny; ++j) to(int(k), j, i) = laplacian_at(from.around(int(k), j, i));
        }
      });
}

template <class T, class Queue>
void laplacian_on_host(Queue& queue, const Problem& p, const FieldRows<const T>& from,
                       const FieldRows<T>& to) {
  const std::int64_t ny = p.rows() - 2 * from.margin;
  const std::ptrdiff_t nx = p.pitch() - 2 * from.margin, pitch = p.pitch();
  const RowGroups groups(p.nz, ny, compat::concurrency(queue.exec()));
  queue.parallel_for(
      "parity::diffusion::laplacian_tuned", even_range(queue.exec(), groups.count()), KOKKOS_LAMBDA(int n) {
        const RowGroups::Group group = groups(n);
        for (int j = group.first; j < group.last; ++j) {
          const T* const f = from.row(group.plane, j);
          T* const t = to.row(group.plane, j);
          PARITY_LANES
          for (std::ptrdiff_t i = 0; i < nx; ++i)
            t[i] = laplacian_at(f[i], f[i - 1], f[i + 1], f[i - pitch], f[i + pitch]);
        }
      });
}

/// The halo cells of one plane after the other, one thread a cell.
template <class T, class Queue>
void halo_on_device(Queue& queue, const Problem& p, const FieldRows<T>& field) {
  using Threads = Tile<1, 1, 256>;
  const int nz = int(p.nz), ny = int(p.ny), nx = int(p.nx), h = int(p.halo);
  const std::int64_t cells = halo_cells(nx, ny, h), teams = ceil_divide(cells * p.nz, Threads::threads);
  const runtime::FastDivide by_cells(cells), by_pitch(nx + 2 * h), by_sides(2 * h);
  queue.parallel_for(
      "parity::diffusion::halo_tuned", flat_range<Threads, T>(queue.exec(), teams * Threads::threads),
      KOKKOS_LAMBDA(unsigned n) {
        const unsigned k = by_cells(n);
        if (k >= unsigned(nz)) return;
        const auto c = halo_cell(int(by_cells.remainder(n, k)), nx, ny, h, by_pitch, by_sides);
        field(int(k), c.row, c.column) = field(int(k), c.from_row, c.from_column);
      });
}

/// Rows of the halo are copied from the row that they repeat, then every row gets its ends, from left to
/// right: a walk through memory in its order, which takes less of the caches' time than one that goes to and
/// fro.
template <class T, class Queue>
void halo_on_host(Queue& queue, const Problem& p, const FieldRows<T>& field) {
  const std::int64_t ny = p.ny, nx = p.nx, h = p.halo;
  const RowGroups groups(p.nz, p.rows(), compat::concurrency(queue.exec()));
  queue.parallel_for(
      "parity::diffusion::halo_tuned", even_range(queue.exec(), groups.count()), KOKKOS_LAMBDA(int n) {
        const std::int64_t height = ny, width = nx, halo = h;
        const RowGroups::Group group = groups(n);
        for (int j = group.first; j < group.last; ++j) {
          const int source = int(periodic_source<std::int64_t>(j, height, halo));
          if (source == j) continue;
          const T* const from = field.row(group.plane, source) + halo;
          T* const to = field.row(group.plane, j) + halo;
          PARITY_LANES
          for (std::int64_t i = 0; i < width; ++i) to[i] = from[i];
        }
        for (int j = group.first; j < group.last; ++j) {
          T* const row = field.row(group.plane, j);
          for (std::int64_t c = 0; c < 2 * halo; ++c) {
            const std::int64_t i = halo_coordinate(c, width, halo);
            row[i] = row[periodic_source(i, width, halo)];
          }
        }
      });
}

struct TunedHaloUpdate : TunedElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& from,
                              const Field<T>& to, int m) {
    const FieldRows<const T> f = field_rows<const T>(from, m);
    const FieldRows<T> t = field_rows<T>(to, m);
    if constexpr (on_device)
      TileConfigs::dispatch(tuning,
                            [&](auto config) { laplacian_on_device<decltype(config)>(queue, p, f, t); });
    else
      laplacian_on_host(queue, p, f, t);
  }

  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const Field<T>& field) {
    if constexpr (on_device)
      halo_on_device(queue, p, field_rows<T>(field));
    else
      halo_on_host(queue, p, field_rows<T>(field));
  }
};

}  // namespace

Entry kokkos_tuned() {
  return with_operations<TunedHaloUpdate>(with_tiles(halo_update_algorithm<on_device>()));
}

}  // namespace parity::diffusion::halo_update

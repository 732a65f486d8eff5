// SPDX-License-Identifier: BSD-3-Clause
// laplacian, tuned Kokkos: on a GPU, a flat range computes tiles of compile-time size, several rows per
// thread, and the host prepares the divisions; on a host, a vector loop computes each row of a group.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class Tile, class T, class Queue>
void laplacian_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& from,
                         const FieldRows<T>& to) {
  const int ny = int(p.rows()) - 2 * from.margin, nx = int(p.pitch()) - 2 * from.margin;
  const std::int64_t across = ceil_divide(nx, Tile::tile_width),
                     down = ceil_divide(ny, Tile::tile_height * Tile::rows),
                     threads = across * down * p.nz * Tile::threads;
  const runtime::FastDivide by_row(across), by_plane(across * down);
  Kokkos::parallel_for(
      queue, "parity::diffusion::laplacian_tuned", flat_range<Tile, T>(queue.exec(), threads),
      KOKKOS_LAMBDA(unsigned n) {
        const unsigned team = n / Tile::threads, thread = n % Tile::threads;
        const unsigned k = by_plane(team), tile = by_plane.remainder(team, k), row = by_row(tile);
        const int i = int(by_row.remainder(tile, row) * Tile::tile_width + thread % Tile::tile_width);
        int j = int((row * Tile::tile_height + thread / Tile::tile_width) * Tile::rows);
        if (i >= nx) return;
        if (j + Tile::rows <= ny) {
          // Compute all values before the first store: rows then share loads, and loads overlap.
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
  Kokkos::parallel_for(
      queue, "parity::diffusion::laplacian_tuned", even_range(queue.exec(), groups.count()),
      KOKKOS_LAMBDA(int n) {
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

}  // namespace

template <class T, class Queue>
void LaplacianOfTiles::apply_laplacian(Queue& queue, const Problem& p, const Tuning& tuning,
                                       const Field<T>& from, const Field<T>& to) {
  const FieldRows<const T> f = field_rows<const T>(from);
  const FieldRows<T> t = field_rows<T>(to);
  if constexpr (on_device)
    TileConfigs::dispatch(tuning,
                          [&](auto config) { laplacian_on_device<decltype(config)>(queue, p, f, t); });
  else
    laplacian_on_host(queue, p, f, t);
}

#define PARITY_LAPLACIAN(T, Queue)                                                                        \
  template void LaplacianOfTiles::apply_laplacian(Queue&, const Problem&, const Tuning&, const Field<T>&, \
                                                  const Field<T>&);
PARITY_LAPLACIAN(float, compat::StreamQueue)
PARITY_LAPLACIAN(double, compat::StreamQueue)
PARITY_LAPLACIAN(float, compat::GraphQueue)
PARITY_LAPLACIAN(double, compat::GraphQueue)
#undef PARITY_LAPLACIAN

namespace laplacian {
Entry kokkos_tuned() { return with_steps<TwoStage, LaplacianOfTiles>(with_tiles(algorithm())); }
}  // namespace laplacian

}  // namespace parity::diffusion

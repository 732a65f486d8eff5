// SPDX-License-Identifier: BSD-3-Clause
// field_update, tuned Kokkos: on a GPU, a flat range updates tiles of compile-time size, several rows per
// thread, and the host prepares the divisions; on a host, a vector loop updates each row of a group. The halo
// update is the one common to tuned variants.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::field_update {
namespace {

/// On entry, out holds the Laplacian of the Laplacian; it becomes the updated field.
template <class Tile, class T, class Queue>
void update_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& in, const FieldRows<T>& out) {
  const T alpha = T(p.alpha);
  const int ny = int(p.ny), nx = int(p.nx);
  const std::int64_t across = ceil_divide(nx, Tile::tile_width),
                     down = ceil_divide(ny, Tile::tile_height * Tile::rows),
                     threads = across * down * p.nz * Tile::threads;
  const runtime::FastDivide by_row(across), by_plane(across * down);
  Kokkos::parallel_for(
      queue, "parity::diffusion::field_update_tuned", flat_range<Tile, T>(queue.exec(), threads),
      KOKKOS_LAMBDA(unsigned n) {
        const unsigned team = n / Tile::threads, thread = n % Tile::threads;
        const unsigned k = by_plane(team), tile = by_plane.remainder(team, k), row = by_row(tile);
        const int i = int(by_row.remainder(tile, row) * Tile::tile_width + thread % Tile::tile_width);
        int j = int((row * Tile::tile_height + thread / Tile::tile_width) * Tile::rows);
        if (i >= nx) return;
        const auto at = [&](int y) { return in.offset(int(k), y) + unsigned(i); };
        if (j + Tile::rows <= ny) {
          T values[Tile::rows];
          PARITY_UNROLL
          for (int u = 0; u < Tile::rows; ++u)
            values[u] = update(in.data[at(j + u)], alpha, out.data[at(j + u)]);
          PARITY_UNROLL
          for (int u = 0; u < Tile::rows; ++u) out.data[at(j + u)] = values[u];
        } else {
          PARITY_UNROLL_BY(1)
          for (; j < ny; ++j) out.data[at(j)] = update(in.data[at(j)], alpha, out.data[at(j)]);
        }
      });
}

template <class T, class Queue>
void update_on_host(Queue& queue, const Problem& p, const FieldRows<const T>& in, const FieldRows<T>& out) {
  const T alpha = T(p.alpha);
  const std::ptrdiff_t nx = p.nx;
  const RowGroups groups(p.nz, p.ny, compat::concurrency(queue.exec()));
  Kokkos::parallel_for(
      queue, "parity::diffusion::field_update_tuned", even_range(queue.exec(), groups.count()),
      KOKKOS_LAMBDA(int n) {
        const RowGroups::Group group = groups(n);
        for (int j = group.first; j < group.last; ++j) {
          const T* const f = in.row(group.plane, j);
          T* const t = out.row(group.plane, j);
          PARITY_LANES
          for (std::ptrdiff_t i = 0; i < nx; ++i) t[i] = update(f[i], alpha, t[i]);
        }
      });
}

struct TunedFieldUpdate : LaplacianOfTiles {
  template <class T, class Queue>
  static void update_field(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
                           const Field<T>& out) {
    const FieldRows<const T> f = field_rows<const T>(in);
    const FieldRows<T> t = field_rows<T>(out);
    if constexpr (on_device)
      TileConfigs::dispatch(tuning, [&](auto config) { update_on_device<decltype(config)>(queue, p, f, t); });
    else
      update_on_host(queue, p, f, t);
  }

  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const FieldView<T>& field) {
    update_halo_tuned(queue, p, field);
  }
};

}  // namespace

Entry kokkos_tuned() { return with_steps<TwoStage, TunedFieldUpdate>(with_tiles(algorithm())); }

}  // namespace parity::diffusion::field_update

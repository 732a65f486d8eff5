// SPDX-License-Identifier: BSD-3-Clause
// fused, Kokkos, tuned: on a GPU, a flat range updates tiles of compile-time size, several rows per thread,
// and the host prepares the divisions; on a host, a vector loop updates each row of a group.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/tuned.hpp"

namespace parity::diffusion {

template <class T, class Queue>
void fused_on_host(Queue& queue, const Problem& p, const FieldRows<const T>& in, T* out) {
  const T alpha = T(p.alpha);
  const std::ptrdiff_t nx = p.nx, pitch = in.pitch;
  const RowGroups groups(p.nz, p.ny, compat::concurrency(queue.exec()));
  Kokkos::parallel_for(
      queue, "parity::diffusion::fused_tuned", even_range(queue.exec(), groups.count()),
      KOKKOS_LAMBDA(int n) {
        const auto [k, first, last] = groups(n);
        for (int j = first; j < last; ++j) {
          const T* const from = in.row(k, j);
          T* const to = out + in.offset(k, j);
          PARITY_LANES
          for (std::ptrdiff_t i = 0; i < nx; ++i)
            to[i] = update_at(alpha, FlatNeighbours<T>{from + i, pitch});
        }
      });
}

template void fused_on_host(compat::StreamQueue&, const Problem&, const FieldRows<const float>&, float*);
template void fused_on_host(compat::StreamQueue&, const Problem&, const FieldRows<const double>&, double*);
template void fused_on_host(compat::GraphQueue&, const Problem&, const FieldRows<const float>&, float*);
template void fused_on_host(compat::GraphQueue&, const Problem&, const FieldRows<const double>&, double*);

namespace fused {
namespace {

template <class Tile, class T, class Queue>
void step_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& in, T* out) {
  const T alpha = T(p.alpha);
  const int nx = int(p.nx), ny = int(p.ny);
  const std::int64_t across = ceil_divide(nx, Tile::tile_width),
                     down = ceil_divide(ny, Tile::tile_height * Tile::rows),
                     threads = across * down * p.nz * Tile::threads;
  const runtime::FastDivide by_row(across), by_plane(across * down);
  Kokkos::parallel_for(
      queue, "parity::diffusion::fused_tuned", flat_range<Tile, T>(queue.exec(), threads),
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
          for (int u = 0; u < Tile::rows; ++u) values[u] = update_at(alpha, in.around(k, j + u, i));
          PARITY_UNROLL
          for (int u = 0; u < Tile::rows; ++u) out[in.offset(k, j + u) + i] = values[u];
        } else {
          PARITY_UNROLL_BY(1)
          for (; j < ny; ++j) out[in.offset(k, j) + i] = update_at(alpha, in.around(k, j, i));
        }
      });
}

struct Step {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
                  const Field<T>& out) const {
    const FieldRows<const T> from = field_rows<const T>(in);
    if constexpr (compat::exec_is_device())
      TileConfigs::dispatch(tuning,
                            [&](auto tile) { step_on_device<decltype(tile)>(queue, p, from, out.data()); });
    else
      fused_on_host(queue, p, from, out.data());
  }
};

}  // namespace

Entry kokkos_tuned() { return with_steps<TunedHaloBefore, Step>(with_tiles(algorithm())); }

}  // namespace fused
}  // namespace parity::diffusion

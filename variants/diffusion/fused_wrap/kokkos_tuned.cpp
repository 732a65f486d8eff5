// SPDX-License-Identifier: BSD-3-Clause
// fused_wrap, Kokkos, tuned: on a GPU, a flat range updates tiles of compile-time size, several rows per
// thread, and the host prepares the divisions; on a host, a vector loop updates each row between the seams.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/tuned.hpp"

namespace parity::diffusion {

template <class T, class Queue>
void fused_wrap_on_host(Queue& queue, const Problem& p, const FieldRows<const T>& in, T* out) {
  const T alpha = T(p.alpha);
  const std::ptrdiff_t nx = p.nx;
  const int ny = int(p.ny);
  const RowGroups groups(p.nz, p.ny, compat::concurrency(queue.exec()));
  Kokkos::parallel_for(
      queue, "parity::diffusion::fused_wrap_tuned", even_range(queue.exec(), groups.count()),
      KOKKOS_LAMBDA(int n) {
        const RowGroups::Group group = groups(n);
        for (int j = group.first; j < group.last; ++j) {
          const WrappedRows<T> rows(in.plane(group.plane), j, ny, in.pitch);
          T* const to = out + in.offset(group.plane, j);
          const std::ptrdiff_t first = nx < 2 ? nx : 2, last = nx - 2 > first ? nx - 2 : first;
          for (std::ptrdiff_t i = 0; i < first; ++i)
            to[i] = update_at(alpha, WrappedNeighbours<T>(rows, int(i), int(nx)));
          PARITY_LANES
          for (std::ptrdiff_t i = 2; i < nx - 2; ++i) to[i] = update_at(alpha, RowNeighbours<T>{rows, i});
          for (std::ptrdiff_t i = last; i < nx; ++i)
            to[i] = update_at(alpha, WrappedNeighbours<T>(rows, int(i), int(nx)));
        }
      });
}

template void fused_wrap_on_host(compat::StreamQueue&, const Problem&, const FieldRows<const float>&, float*);
template void fused_wrap_on_host(compat::StreamQueue&, const Problem&, const FieldRows<const double>&,
                                 double*);
template void fused_wrap_on_host(compat::GraphQueue&, const Problem&, const FieldRows<const float>&, float*);
template void fused_wrap_on_host(compat::GraphQueue&, const Problem&, const FieldRows<const double>&,
                                 double*);

namespace fused_wrap {
namespace {

template <class Tile, class T, class Queue>
void step_on_device(Queue& queue, const Problem& p, const T* in, T* out, int pitch) {
  const T alpha = T(p.alpha);
  const int nx = int(p.nx), ny = int(p.ny);
  const std::int64_t across = ceil_divide(nx, Tile::tile_width),
                     down = ceil_divide(ny, Tile::tile_height * Tile::rows),
                     threads = across * down * p.nz * Tile::threads;
  const runtime::FastDivide by_row(across), by_plane(across * down);
  Kokkos::parallel_for(
      queue, "parity::diffusion::fused_wrap_tuned", flat_range<Tile, T>(queue.exec(), threads),
      KOKKOS_LAMBDA(unsigned n) {
        const unsigned team = n / Tile::threads, thread = n % Tile::threads;
        const unsigned k = by_plane(team), tile = by_plane.remainder(team, k), row = by_row(tile);
        const int i = int(by_row.remainder(tile, row) * Tile::tile_width + thread % Tile::tile_width);
        int j = int((row * Tile::tile_height + thread / Tile::tile_width) * Tile::rows);
        if (i >= nx) return;
        const std::size_t plane = std::size_t(k) * (unsigned(ny) * unsigned(pitch));
        T* const to = out + plane + i;
        const auto rows = [&](int j) { return WrappedRows<T>(in + plane, j, ny, pitch); };
        const auto wrapped = [&](int j) { return update_at(alpha, WrappedNeighbours<T>(rows(j), i, nx)); };
        const auto advance = [&](const auto& value) {
          // Compute all values before the first store: rows then share loads, and loads overlap.
          T values[Tile::rows];
          PARITY_UNROLL
          for (int u = 0; u < Tile::rows; ++u) values[u] = value(j + u);
          PARITY_UNROLL
          for (int u = 0; u < Tile::rows; ++u) to[unsigned(j + u) * unsigned(pitch)] = values[u];
        };
        // Wrapping columns would be most of a step's instructions. All lanes of a warp take the same branch.
        const int first = i & -32;
        if (j + Tile::rows > ny) {
          PARITY_UNROLL_BY(1)
          for (; j < ny; ++j) to[unsigned(j) * unsigned(pitch)] = wrapped(j);
        } else if (first >= 2 && first + 34 <= nx) {
          advance([&](int j) { return update_at(alpha, RowNeighbours<T>{rows(j), i}); });
        } else {
          advance(wrapped);
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
      TileConfigs::dispatch(tuning, [&](auto tile) {
        step_on_device<decltype(tile)>(queue, p, from.data, out.data(), from.pitch);
      });
    else
      fused_wrap_on_host(queue, p, from, out.data());
  }
};

}  // namespace

Entry kokkos_tuned() { return with_steps<Periodic, Step>(with_tiles(algorithm())); }

}  // namespace fused_wrap
}  // namespace parity::diffusion

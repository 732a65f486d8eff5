// SPDX-License-Identifier: BSD-3-Clause
// The tuned halo, compiled once instead of in every variant.
#include "tuned.hpp"

namespace parity::diffusion {
namespace {

/// On a GPU, one thread of a flat range per halo cell.
template <class T, class Queue>
void update_halo_on_device(Queue& queue, const Problem& p, const FieldView<T>& field) {
  using Threads = Tile<1, 1, 256>;
  const int nx = int(p.nx), ny = int(p.ny), h = int(p.halo), nz = int(p.nz);
  const FieldRows<T> f{field.data(), nx + 2 * h, ny + 2 * h, 0};
  const runtime::FastDivide by_cells(halo_cells(p.nx, p.ny, p.halo)), by_pitch(nx + 2 * h), by_sides(2 * h);
  const std::int64_t teams = ceil_divide(halo_cells(p.nx, p.ny, p.halo) * p.nz, Threads::threads);
  Kokkos::parallel_for(
      queue, "parity::diffusion::halo_tuned", flat_range<Threads, T>(queue.exec(), teams * Threads::threads),
      KOKKOS_LAMBDA(unsigned n) {
        const unsigned k = by_cells(n);
        if (int(k) >= nz) return;
        const auto c = halo_cell(int(by_cells.remainder(n, k)), nx, ny, h, by_pitch, by_sides);
        T* const plane = f.data + f.offset(int(k));
        plane[unsigned(c.row) * unsigned(f.pitch) + unsigned(c.column)] =
            plane[unsigned(c.from_row) * unsigned(f.pitch) + unsigned(c.from_column)];
      });
}

/// On a host, for each group of neighbouring rows of a padded plane: copies halo rows from the rows that they
/// repeat, then fills both ends of every row. It walks through memory in order, which costs the caches less
/// than jumping back and forth.
template <class T, class Queue>
void update_halo_on_host(Queue& queue, const Problem& p, const FieldView<T>& field) {
  const std::int64_t nx = p.nx, ny = p.ny, h = p.halo, pitch = p.pitch(), rows = p.rows();
  T* const f = field.data();
  const RowGroups groups(p.nz, rows, compat::concurrency(queue.exec()));
  Kokkos::parallel_for(
      queue, "parity::diffusion::halo_tuned", even_range(queue.exec(), groups.count()), KOKKOS_LAMBDA(int n) {
        const std::int64_t width = nx, halo = h;
        const RowGroups::Group group = groups(n);
        const std::int64_t first = group.first, last = group.last;
        T* const plane = f + group.plane * rows * pitch;
        for (std::int64_t j = first; j < last; ++j) {
          const std::int64_t source = periodic_source(j, ny, halo);
          if (source == j) continue;
          const T* const from = plane + source * pitch + halo;
          T* const to = plane + j * pitch + halo;
          PARITY_LANES
          for (std::int64_t i = 0; i < width; ++i) to[i] = from[i];
        }
        for (std::int64_t j = first; j < last; ++j) {
          T* const row = plane + j * pitch;
          for (std::int64_t c = 0; c < 2 * halo; ++c) {
            const std::int64_t i = halo_coordinate(c, width, halo);
            row[i] = row[periodic_source(i, width, halo)];
          }
        }
      });
}

}  // namespace

template <class T, class Queue>
void update_halo_tuned(Queue& queue, const Problem& p, const FieldView<T>& f) {
  if constexpr (compat::exec_is_device())
    update_halo_on_device(queue, p, f);
  else
    update_halo_on_host(queue, p, f);
}

template void update_halo_tuned(compat::StreamQueue&, const Problem&, const FieldView<float>&);
template void update_halo_tuned(compat::StreamQueue&, const Problem&, const FieldView<double>&);
template void update_halo_tuned(compat::GraphQueue&, const Problem&, const FieldView<float>&);
template void update_halo_tuned(compat::GraphQueue&, const Problem&, const FieldView<double>&);

}  // namespace parity::diffusion

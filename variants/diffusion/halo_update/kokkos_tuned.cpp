// SPDX-License-Identifier: BSD-3-Clause
// halo_update, tuned Kokkos: a flat range over the halo cells, divisions prepared on the host; on a host the
// halo update that tuned variants share. The Laplacian is that of ../laplacian.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::halo_update {
namespace {

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

struct TunedHaloUpdate : TunedLaplacianKernel {
  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const Field<T>& field) {
    if constexpr (on_device)
      halo_on_device(queue, p, field_rows<T>(field));
    else
      update_halo_tuned(queue, p, field);
  }
};

}  // namespace

Entry kokkos_tuned() {
  return with_operations<TunedHaloUpdate>(with_tiles(halo_update_algorithm<on_device>()));
}

}  // namespace parity::diffusion::halo_update

// SPDX-License-Identifier: BSD-3-Clause
// halo_update, Kokkos, first version: one MDRange computes the points of the Views and one updates the cells
// of their halo.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::halo_update {
namespace {

struct HaloUpdate : LaplacianOfPoints {
  /// Copies the periodic image of the n-th halo cell of each plane into it.
  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const FieldView<T>& field) {
    using Policy =
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
    const int nx = int(p.nx), ny = int(p.ny), h = int(p.halo);
    Kokkos::parallel_for(
        queue, "parity::diffusion::halo",
        Policy(queue.exec(), {0, 0}, {p.nz, std::int64_t(halo_cells(nx, ny, h))}),
        KOKKOS_LAMBDA(int k, int n) {
          const auto c = halo_cell(n, nx, ny, h);
          field(k, c.row, c.column) = field(k, c.from_row, c.from_column);
        });
  }
};

}  // namespace

Entry kokkos() { return with_steps<TwoStage, HaloUpdate>(algorithm()); }

}  // namespace parity::diffusion::halo_update

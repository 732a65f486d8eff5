// SPDX-License-Identifier: BSD-3-Clause
// laplacian_1d, Kokkos, first version: one flat range computes all points.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::laplacian_1d {
namespace {

struct LaplacianKernel : ElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning&, const Field<T>& from,
                              const Field<T>& to) {
    const int nz = int(p.nz), ny = from.ny(), nx = from.nx();
    Kokkos::parallel_for(
        queue, "parity::diffusion::laplacian_1d", Range1<int>(queue.exec(), 0, nz * ny * nx),
        KOKKOS_LAMBDA(int n) {
          const int row = n / nx, k = row / ny, j = row - k * ny, i = n - row * nx;
          to(k, j, i) = laplacian_at(from(k, j, i), from(k, j, i - 1), from(k, j, i + 1), from(k, j - 1, i),
                                     from(k, j + 1, i));
        });
  }
};

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  e.refuse += refuse_many_points;
  return with_steps<TwoStage, LaplacianKernel>(e);
}

}  // namespace parity::diffusion::laplacian_1d

// SPDX-License-Identifier: BSD-3-Clause
// laplacian, Kokkos, first version: one MDRange computes the Laplacian of the Views.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {

template <class T, class Queue>
void LaplacianOfPoints::apply_laplacian(Queue& queue, const Problem& p, const Tuning&, const Field<T>& from,
                                        const Field<T>& to) {
  using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
  Kokkos::parallel_for(
      queue, "parity::diffusion::laplacian", Policy(queue.exec(), {0, 0, 0}, {p.nz, from.ny(), from.nx()}),
      KOKKOS_LAMBDA(int k, int j, int i) {
        to(k, j, i) = laplacian_at(from(k, j, i), from(k, j, i - 1), from(k, j, i + 1), from(k, j - 1, i),
                                   from(k, j + 1, i));
      });
}

#define PARITY_LAPLACIAN(T, Queue)                                                                         \
  template void LaplacianOfPoints::apply_laplacian(Queue&, const Problem&, const Tuning&, const Field<T>&, \
                                                   const Field<T>&);
PARITY_LAPLACIAN(float, compat::StreamQueue)
PARITY_LAPLACIAN(double, compat::StreamQueue)
PARITY_LAPLACIAN(float, compat::GraphQueue)
PARITY_LAPLACIAN(double, compat::GraphQueue)
#undef PARITY_LAPLACIAN

namespace laplacian {
Entry kokkos() { return with_steps<TwoStage, LaplacianOfPoints>(algorithm()); }
}  // namespace laplacian

}  // namespace parity::diffusion

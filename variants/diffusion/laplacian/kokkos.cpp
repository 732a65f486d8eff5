// SPDX-License-Identifier: BSD-3-Clause
// laplacian, Kokkos, first version: one MDRange over the Views.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::laplacian {
namespace {

struct LaplacianKernel : ElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning&, const Field<T>& from,
                              const Field<T>& to, int m) {
    using Policy =
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
    queue.parallel_for(
        "parity::diffusion::laplacian", Policy(queue.exec(), {0, m, m}, {p.nz, p.rows() - m, p.pitch() - m}),
        KOKKOS_LAMBDA(int k, int j, int i) {
          to(k, j, i) = laplacian_at(from(k, j, i), from(k, j, i - 1), from(k, j, i + 1), from(k, j - 1, i),
                                     from(k, j + 1, i));
        });
  }
};

}  // namespace

Entry kokkos() { return with_operations<LaplacianKernel>(laplacian_algorithm<on_device>()); }

}  // namespace parity::diffusion::laplacian

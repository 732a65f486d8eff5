// SPDX-License-Identifier: BSD-3-Clause
// field_update, Kokkos, first version: one MDRange computes the Laplacian of the Views and one updates the
// field, after the halo update common to all variants.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::field_update {
namespace {

using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;

struct FieldUpdate : LaplacianOfPoints {
  /// On entry, out holds the Laplacian of the Laplacian; it becomes the updated field.
  template <class T, class Queue>
  static void update_field(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                           const Field<T>& out) {
    const T alpha = T(p.alpha);
    Kokkos::parallel_for(
        queue, "parity::diffusion::field_update", Policy(queue.exec(), {0, 0, 0}, {p.nz, p.ny, p.nx}),
        KOKKOS_LAMBDA(int k, int j, int i) { out(k, j, i) = update(in(k, j, i), alpha, out(k, j, i)); });
  }

  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const FieldView<T>& field) {
    diffusion::update_halo(queue, p, field);
  }
};

}  // namespace

Entry kokkos() { return with_steps<TwoStage, FieldUpdate>(algorithm()); }

}  // namespace parity::diffusion::field_update

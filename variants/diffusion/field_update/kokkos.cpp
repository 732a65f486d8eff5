// SPDX-License-Identifier: BSD-3-Clause
// field_update, Kokkos, first version: an MDRange over the Views for the update of the field. The Laplacian
// is that of ../laplacian, the halo update that of all variants.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::field_update {
namespace {

using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;

struct FieldUpdate : LaplacianKernel {
  /// out holds the Laplacian of the Laplacian and becomes the updated field.
  template <class T, class Queue>
  static void update_field(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                           const Field<T>& out) {
    const T alpha = T(p.alpha);
    const std::int64_t h = p.halo;
    queue.parallel_for(
        "parity::diffusion::field_update", Policy(queue.exec(), {0, h, h}, {p.nz, h + p.ny, h + p.nx}),
        KOKKOS_LAMBDA(int k, int j, int i) { out(k, j, i) = update(in(k, j, i), alpha, out(k, j, i)); });
  }

  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const Field<T>& field) {
    diffusion::update_halo(queue, p, field);
  }
};

}  // namespace

Entry kokkos() { return with_operations<FieldUpdate>(field_update_algorithm<on_device>()); }

}  // namespace parity::diffusion::field_update

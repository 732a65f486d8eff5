// SPDX-License-Identifier: BSD-3-Clause
// field_update, Kokkos, first version: an MDRange over the Views for the Laplacian and one for the update of
// the field, after the halo update that all variants share.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::field_update {
namespace {

using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;

struct FieldUpdate {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning&, const Field<T>& from,
                              const Field<T>& to, int m) {
    queue.parallel_for(
        "parity::diffusion::laplacian", Policy(queue.exec(), {0, m, m}, {p.nz, p.rows() - m, p.pitch() - m}),
        KOKKOS_LAMBDA(int k, int j, int i) {
          to(k, j, i) = laplacian_at(from(k, j, i), from(k, j, i - 1), from(k, j, i + 1), from(k, j - 1, i),
                                     from(k, j + 1, i));
        });
  }

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

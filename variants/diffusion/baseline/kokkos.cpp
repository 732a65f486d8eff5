// SPDX-License-Identifier: BSD-3-Clause
// baseline, Kokkos, first version: one kernel over flat Views per elementary operation.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
using Flat = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T, class Queue>
void scale(Queue& queue, const Flat<T>& from, const Flat<T>& to, T weight) {
  Kokkos::parallel_for(
      queue, "parity::diffusion::scale", Range1<std::int64_t>(queue.exec(), 0, std::int64_t(to.size())),
      KOKKOS_LAMBDA(std::int64_t n) { to(n) = weight * from(n); });
}

template <class T, class Queue>
void add(Queue& queue, const Flat<T>& from, const Flat<T>& to) {
  Kokkos::parallel_for(
      queue, "parity::diffusion::add", Range1<std::int64_t>(queue.exec(), 0, std::int64_t(to.size())),
      KOKKOS_LAMBDA(std::int64_t n) { to(n) += from(n); });
}

/// Copies height x width cells of each plane.
template <class T, class Queue>
void copy_cells(Queue& queue, const FieldView<T>& field, int to_row, int from_row, int height, int to_column,
                int from_column, int width) {
  using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
  const int nz = int(field.extent(0));
  Kokkos::parallel_for(
      queue, "parity::diffusion::copy_cells", Policy(queue.exec(), {0, 0, 0}, {nz, height, width}),
      KOKKOS_LAMBDA(int k, int j, int i) {
        field(k, to_row + j, to_column + i) = field(k, from_row + j, from_column + i);
      });
}

/// The flat field without its first and last row, shifted.
template <class T>
Flat<T> part(const Problem& p, const Field<T>& field, std::int64_t shift = 0) {
  return Flat<T>(field.data() + p.pitch() + shift, std::size_t(p.padded_points() - 2 * p.pitch()));
}

}  // namespace

template <class T, class Queue>
void ElementaryOperations::update_halo(Queue& queue, const Problem& p, const FieldView<T>& field) {
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny), rows = int(p.rows());
  copy_cells(queue, field, 0, ny, h, h, h, nx);
  copy_cells(queue, field, ny + h, h, h, h, h, nx);
  copy_cells(queue, field, 0, 0, rows, 0, nx, h);
  copy_cells(queue, field, 0, 0, rows, nx + h, h, h);
}

template <class T, class Queue>
void ElementaryOperations::apply_laplacian(Queue& queue, const Problem& p, const Tuning&,
                                           const Field<T>& from, const Field<T>& to) {
  scale(queue, part(p, from), part(p, to), T(laplacian_centre_weight));
  for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -p.pitch(), p.pitch()})
    add(queue, part(p, from, shift), part(p, to));
}

template <class T, class Queue>
void ElementaryOperations::update_field(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                                        const Field<T>& out) {
  scale(queue, part(p, out), part(p, out), T(-p.alpha));
  add(queue, part(p, in), part(p, out));
}

namespace baseline {
Entry kokkos() { return with_steps<TwoStage, ElementaryOperations>(algorithm()); }
}  // namespace baseline

#define PARITY_OPERATIONS(T, Queue)                                                                        \
  template void ElementaryOperations::update_halo(Queue&, const Problem&, const FieldView<T>&);            \
  template void ElementaryOperations::apply_laplacian(Queue&, const Problem&, const Tuning&,               \
                                                      const Field<T>&, const Field<T>&);                   \
  template void ElementaryOperations::update_field(Queue&, const Problem&, const Tuning&, const Field<T>&, \
                                                   const Field<T>&);
PARITY_OPERATIONS(float, compat::StreamQueue)
PARITY_OPERATIONS(double, compat::StreamQueue)
PARITY_OPERATIONS(float, compat::GraphQueue)
PARITY_OPERATIONS(double, compat::GraphQueue)

}  // namespace parity::diffusion

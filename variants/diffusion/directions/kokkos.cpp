// SPDX-License-Identifier: BSD-3-Clause
// directions, Kokkos, first version: one MDRange over the Views per operation.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::directions {
namespace {

using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;

struct Operations {
  /// Computes the second difference along (dj, di).
  template <class T, class Queue>
  static void difference(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int dj,
                         int di) {
    Kokkos::parallel_for(
        queue, "parity::diffusion::difference", Policy(queue.exec(), {0, 0, 0}, {p.nz, from.ny(), from.nx()}),
        KOKKOS_LAMBDA(int k, int j, int i) {
          to(k, j, i) = second_difference(from(k, j, i), from(k, j - dj, i - di), from(k, j + dj, i + di));
        });
  }
  template <class T, class Queue>
  static void add(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to) {
    Kokkos::parallel_for(
        queue, "parity::diffusion::add_direction",
        Policy(queue.exec(), {0, 0, 0}, {p.nz, from.ny(), from.nx()}),
        KOKKOS_LAMBDA(int k, int j, int i) { to(k, j, i) += from(k, j, i); });
  }
  /// On entry, out holds the second difference along x, y the one along y; out becomes the updated field.
  template <class T, class Queue>
  static void update_field(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& y,
                           const Field<T>& out) {
    const T alpha = T(p.alpha);
    Kokkos::parallel_for(
        queue, "parity::diffusion::update_directions", Policy(queue.exec(), {0, 0, 0}, {p.nz, p.ny, p.nx}),
        KOKKOS_LAMBDA(int k, int j, int i) {
          out(k, j, i) = update(in(k, j, i), alpha, out(k, j, i) + y(k, j, i));
        });
  }
};

template <class T>
struct Directions {
  Fields<T> f;
  FieldView<T> y;  ///< second difference along y
  explicit Directions(const Problem& p)
      : f(Fields<T>::with_laplacian(p)), y("direction y", p.nz, p.rows(), p.pitch()) {
    Kokkos::deep_copy(y, poison<T>);
  }
  template <class Queue>
  void step(Queue& queue, const Operations& o, const Tuning&, const FieldView<T>& in,
            const FieldView<T>& out) const {
    const int h = int(f.p.halo);
    const Field<T> lap{f.laplacian, h - 1}, inner_in{in, h}, inner_y{y, h}, inner_out{out, h};
    const auto differences = [&](const Field<T>& from, const Field<T>& to_x, const Field<T>& to_y) {
      queue.side_by_side([&](auto& branch) { o.difference(branch, f.p, from, to_x, 0, 1); },
                         [&](auto& branch) { o.difference(branch, f.p, from, to_y, 1, 0); });
    };
    update_halo(queue, f.p, in);
    differences(Field<T>{in, h - 1}, lap, Field<T>{y, h - 1});
    o.add(queue, f.p, Field<T>{y, h - 1}, lap);
    differences(Field<T>{f.laplacian, h}, inner_out, inner_y);
    o.update_field(queue, f.p, inner_in, inner_y, inner_out);
  }
  template <class Queue>
  void finish(Queue& queue, const Operations&, const FieldView<T>& result) const {
    update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry kokkos() { return with_steps<Directions, Operations>(algorithm()); }

}  // namespace parity::diffusion::directions

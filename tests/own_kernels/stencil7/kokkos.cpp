// SPDX-License-Identifier: BSD-3-Clause
// MDRange over the box, with a queue, so that Kokkos' own graphs can contain the launch. Also a version that
// forgets the surface.
#include <parity/kokkos.hpp>

#include "stencil7.hpp"

namespace boxes {

template <class T, int rim>
struct Kokkos7 : parity::kokkos::Version<Stencil7, T> {
  Kokkos::View<const T***> in =
      this->input(this->data.in, this->problem.nz, this->problem.ny, this->problem.nx);
  Kokkos::View<T***> out = this->output(this->problem.nz, this->problem.ny, this->problem.nx);
  template <class Queue>
  void run(const Stencil7& p, Queue& queue) {
    const auto in = this->in;
    const auto out = this->out;
    Kokkos::parallel_for(
        queue, "stencil7",
        Kokkos::MDRangePolicy<Kokkos::Rank<3>>(queue.exec(), {rim, rim, rim},
                                               {p.nz - rim, p.ny - rim, p.nx - rim}),
        KOKKOS_LAMBDA(int k, int j, int i) { out(k, j, i) = p.update(in, k, j, i); });
  }
  auto result() { return out; }
};
template <class T>
using Kokkos7First = Kokkos7<T, 0>;
template <class T>
using Kokkos7Wrong = Kokkos7<T, 1>;
PARITY_VERSION(Kokkos7First, "sweep", first);
PARITY_VERSION(Kokkos7Wrong, "sweep", further("wrong"));

}  // namespace boxes

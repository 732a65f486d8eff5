// SPDX-License-Identifier: BSD-3-Clause
// empty, Kokkos.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::empty {
namespace {

template <class T, class Queue>
void step(Queue& queue, const Problem&, const Field<T>&, const Field<T>&) {
  queue.parallel_for("parity::diffusion::empty", Kokkos::RangePolicy<Exec>(queue.exec(), 0, 1),
                     KOKKOS_LAMBDA(int){});
}

}  // namespace

PARITY_KOKKOS_FLOOR(kokkos, Periodic, step, empty::algorithm())

}  // namespace parity::diffusion::empty

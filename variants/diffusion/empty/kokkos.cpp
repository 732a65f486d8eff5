// SPDX-License-Identifier: BSD-3-Clause
// empty, Kokkos: launches an empty kernel.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::empty {
namespace {

struct Step {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem&, const Tuning&, const Field<T>&, const Field<T>&) const {
    Kokkos::parallel_for(queue, "parity::diffusion::empty", Kokkos::RangePolicy<Exec>(queue.exec(), 0, 1),
                         KOKKOS_LAMBDA(int){});
  }
};

}  // namespace

Entry kokkos() { return with_steps<Periodic, Step, /*changes_fields=*/false>(algorithm()); }

}  // namespace parity::diffusion::empty

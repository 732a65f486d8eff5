// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-empty: a kernel that does nothing in each step; the floor of everything that launches.
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct Empty {
  Fields<T> f;
  Empty(const Problem& p, const Tuning&) : f(Fields<T>::periodic(p)) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>&, const Field<T>&) const {
    queue.parallel_for("parity::diffusion::empty", Range1<int>(queue.exec(), 0, 1), KOKKOS_LAMBDA(int){});
  }
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}
};

}  // namespace

Entry empty_kokkos() {
  Entry e = kokkos_entry({}, {}, "");
  e.floor = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 0, 0); };
  return with_steps<Empty, /*writes=*/false>(e);
}

}  // namespace parity::diffusion

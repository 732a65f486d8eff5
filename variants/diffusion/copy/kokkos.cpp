// SPDX-License-Identifier: BSD-3-Clause
// copy, Kokkos, first version: a range over all elements.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::copy {
namespace {

template <class T, class Queue>
void step(Queue& queue, const Problem&, const Field<T>& in, const Field<T>& out) {
  const std::size_t size = in.size();
  const Kokkos::View<const T*, Exec> from(in.data(), size);
  const Kokkos::View<T*, Exec> to(out.data(), size);
  queue.parallel_for(
      "parity::diffusion::copy", Kokkos::RangePolicy<Exec>(queue.exec(), 0, size),
      KOKKOS_LAMBDA(std::int64_t n) { to(n) = from(n); });
}

}  // namespace

PARITY_KOKKOS_VARIANT(kokkos, Packed, step, copy::algorithm())

}  // namespace parity::diffusion::copy

// SPDX-License-Identifier: BSD-3-Clause
// copy, Kokkos, first version: a range over all elements. Below it -batch, four of which a thread takes.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::copy {
namespace {

template <class Range, class T, class Queue>
void copy_over(Queue& queue, const Field<T>& in, const Field<T>& out) {
  const std::size_t size = in.size();
  const Kokkos::View<const T*, Exec> from(in.data(), size);
  const Kokkos::View<T*, Exec> to(out.data(), size);
  queue.parallel_for(
      "parity::diffusion::copy", Range(queue.exec(), 0, size),
      KOKKOS_LAMBDA(std::int64_t n) { to(n) = from(n); });
}

template <class T, class Queue>
void step(Queue& queue, const Problem&, const Field<T>& in, const Field<T>& out) {
  copy_over<Kokkos::RangePolicy<Exec>>(queue, in, out);
}

template <class T, class Queue>
void batch(Queue& queue, const Problem&, const Field<T>& in, const Field<T>& out) {
  copy_over<compat::BatchedRange<4>>(queue, in, out);
}

Entry batch_algorithm() {
  Entry e = copy::algorithm();
  e.unavailable = compat::why_not_before(50000, "StaticBatchSize").value_or("");
  return e;
}

}  // namespace

PARITY_KOKKOS_VARIANT(kokkos, Packed, step, copy::algorithm())
PARITY_KOKKOS_VARIANT(kokkos_batch, Packed, batch, batch_algorithm())

}  // namespace parity::diffusion::copy

// SPDX-License-Identifier: BSD-3-Clause
// copy, Kokkos, first version: a flat range copies all elements; in its -batch form a thread copies four.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::copy {
namespace {

template <class Range, class T, class Queue>
void copy_over(Queue& queue, const Field<T>& in, const Field<T>& out) {
  const std::size_t size = in.view.size();
  const Kokkos::View<const T*, Exec> from(in.data(), size);
  const Kokkos::View<T*, Exec> to(out.data(), size);
  Kokkos::parallel_for(
      queue, "parity::diffusion::copy", Range(queue.exec(), 0, size),
      KOKKOS_LAMBDA(std::int64_t n) { to(n) = from(n); });
}

struct Step {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem&, const Tuning&, const Field<T>& in,
                  const Field<T>& out) const {
    copy_over<Kokkos::RangePolicy<Exec>>(queue, in, out);
  }
};

struct BatchStep {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem&, const Tuning&, const Field<T>& in,
                  const Field<T>& out) const {
    copy_over<compat::BatchedRange<4>>(queue, in, out);
  }
};

}  // namespace

Entry kokkos() { return with_steps<Packed, Step>(algorithm()); }
Entry kokkos_batch() {
  Entry e = algorithm();
  e.unavailable = compat::why_not_before(50000, "StaticBatchSize").value_or("");
  return with_steps<Packed, BatchStep>(e);
}

}  // namespace parity::diffusion::copy

// SPDX-License-Identifier: BSD-3-Clause
// split, Kokkos, first version: an MDRange over queries and chunks of Views, then a range adds the chunks.
#include "algorithm.hpp"
#include "backend/kokkos/kde/split.hpp"

namespace parity::kde::split {
namespace {

template <class T>
struct SplitViews {
  Samples<T> s;
  int chunks;
  Kokkos::View<T**, Exec> sums;  ///< (query, chunk)
  SplitViews(const Problem& p, const Tuning& t)
      : s(p), chunks(t[0]), sums("sums of chunks", std::size_t(p.n), std::size_t(t[0])) {}
  void operator()() const {
    compat::StreamQueue queue(s.exec);
    enqueue(queue);
  }
  template <class Queue>
  void enqueue(Queue& queue) const {
    const int n = int(s.p.n), chunks = this->chunks, length = (n + chunks - 1) / chunks;
    const T inverse_bandwidth = T(1.0 / s.p.bandwidth);
    const double norm = s.p.norm();
    const Array<T> samples = s.samples(), density = s.densities();
    const Kokkos::View<T**, Exec> sums = this->sums;
    Kokkos::parallel_for(
        queue, "parity::kde::split",
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(queue.exec(), {0, 0}, {n, chunks}),
        KOKKOS_LAMBDA(int i, int c) {
          const int last = (c + 1) * length < n ? (c + 1) * length : n;
          const T q = samples(i);
          T sum = 0;
          for (int j = c * length; j < last; ++j) {
            const T t = (q - samples(j)) * inverse_bandwidth;
            sum += Kokkos::exp(T(-0.5) * t * t);
          }
          sums(i, c) = sum;
        });
    Kokkos::parallel_for(
        queue, "parity::kde::split_sum", Kokkos::RangePolicy<Exec>(queue.exec(), 0, n), KOKKOS_LAMBDA(int i) {
          double total = 0;
          for (int c = 0; c < chunks; ++c) total += double(sums(i, c));
          density(i) = T(total * norm);
        });
  }
};

}  // namespace

Entry kokkos() { return with_split<SplitViews>(plain_algorithm()); }

}  // namespace parity::kde::split

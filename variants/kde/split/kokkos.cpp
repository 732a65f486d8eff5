// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split: MDRange over (query, sample chunk), partial sums, a reduction. Twin of
// cuda-split-two-pass.
#include "split.hpp"

namespace parity::kde {
namespace {

/// The table of powers in double would need memory near the processor: a range has none, so its double
/// arithmetic is the polynomial.
template <class T>
struct SplitTermOf {
  using Type = HardwareTerm<T>;
};
template <>
struct SplitTermOf<double> {
  using Type = PolynomialTerm<double>;
};

template <class T>
struct SplitFunctor {
  const T* samples;
  typename SplitTermOf<T>::Type term;
  Split split;
  Sink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(int query, int chunk) const {
    const T q[1] = {samples[query]};
    double total[1] = {0};
    add_packs<8, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples) + split.first(chunk),
                    split.last(chunk) - split.first(chunk), total);
    sink.put(chunk, query, total[0]);
  }
};

template <class T>
struct SplitSum : SplitPasses<T, SplitSum<T>> {
  using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                      Kokkos::IndexType<int>>;
  SplitSum(const Problem& p, const Tuning& t) : SplitPasses<T, SplitSum>(p, t, 256) {}
  template <class Queue>
  void first(Queue& queue, const Sink<T>& sink) const {
    const Problem& p = this->s.p;
    queue.parallel_for(
        "parity::kde::split", Range(queue.exec(), {0, 0}, {int(p.n), this->split.chunks}, {256, 1}),
        SplitFunctor<T>{this->s.data(), typename SplitTermOf<T>::Type(p.bandwidth), this->split, sink});
  }
};

}  // namespace

Entry split_kokkos() { return split_entry<SplitSum>(); }

}  // namespace parity::kde

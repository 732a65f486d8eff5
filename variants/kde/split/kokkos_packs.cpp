// SPDX-License-Identifier: BSD-3-Clause
// split, Kokkos, a step between first and tuned: an MDRange with a tile of 256 queries reads samples in packs
// by pointer and flushes sums to double. A range has no on-chip memory for the table of powers, so that a
// polynomial computes 2^x in double.
#include "algorithm.hpp"
#include "backend/kokkos/kde/split.hpp"

namespace parity::kde::split {
namespace {

template <class T>
using SplitTerm = std::conditional_t<sizeof(T) == 4, HardwareTerm<T>, PolynomialTerm<T>>;

template <class T>
struct SplitQuery {
  const T* samples;
  SplitTerm<T> term;
  Split split;
  Sink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(int query, int chunk) const {
    const auto* const packs = reinterpret_cast<const Pack<T>*>(samples);
    const T q = samples[query];
    double total = 0;
    for (int first = split.first(chunk); first < split.last(chunk); first += flush_packs) {
      T sum = 0;
      PARITY_UNROLL_BY(8)
      for (int k = 0; k < flush_packs; ++k) sum = add_pack(term, q, packs[first + k], sum);
      total += double(sum);
    }
    sink.put(chunk, query, total);
  }
};

template <class T>
struct SplitRange : SplitPasses<T, SplitRange<T>> {
  using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                      Kokkos::IndexType<int>>;
  SplitRange(const Problem& p, const Tuning& t) : SplitPasses<T, SplitRange>(p, t, 256) {}
  template <class Queue>
  void first(Queue& queue, const Sink<T>& sink) const {
    Kokkos::parallel_for(queue, "parity::kde::split_packs",
                         Range(queue.exec(), {0, 0}, {int(sink.n), this->split.chunks}, {256, 1}),
                         SplitQuery<T>{this->s.data(), SplitTerm<T>(this->s.p.bandwidth), this->split, sink});
  }
};

}  // namespace

Entry kokkos_packs() { return with_split<SplitRange>(algorithm()); }

}  // namespace parity::kde::split

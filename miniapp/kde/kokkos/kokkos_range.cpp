// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-range: one query an index of a flat range, the library's exp: the portable code one writes
// first. Twin of cuda-register-sum, openmp-direct.
#include "kde/kokkos/samples.hpp"

namespace parity::kde {
namespace {

template <class T>
struct RangeFunctor {
  const T* samples;
  LibraryTerm<T> term;
  int packs;
  Sink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const T q[1] = {samples[i]};
    double total[1] = {0};
    add_packs<1, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), packs, total);
    sink.put(0, i, total[0]);
  }
};

template <class T>
struct RangeSum {
  Samples<T> s;
  RangeSum(const Problem& p, const Tuning&) : s(p) {}
  void operator()() const {
    Kokkos::parallel_for(
        "parity::kde::range", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n),
        RangeFunctor<T>{s.data(), LibraryTerm<T>(s.p.bandwidth), int(s.size() / pack_width), s.sink()});
  }
};

}  // namespace

Entry kokkos_range() {
  return with_sum<RangeSum>(kokkos_entry("kokkos-range",
                                         "one query an index of a flat range, the library's exp",
                                         "cuda-register-sum", "openmp-direct"));
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// One query an index, the library's exp: what the two forms of a range over the queries compute.
#pragma once
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde {

template <class T>
struct QuerySum {
  const T* samples;
  LibraryTerm<T> term;
  int packs;
  Sink<T> sink;
  explicit QuerySum(const Samples<T>& s)
      : samples(s.data()), term(s.p.bandwidth), packs(int(s.size() / pack_width)), sink(s.sink()) {}
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const T q[1] = {samples[i]};
    double total[1] = {0};
    add_packs<1, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), packs, total);
    sink.put(0, i, total[0]);
  }
};

template <class T>
void sum_by_range(const char* label, const Samples<T>& s) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n),
                       QuerySum<T>(s));
}

}  // namespace parity::kde

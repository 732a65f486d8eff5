// SPDX-License-Identifier: BSD-3-Clause
// The smallest and the largest sample.
#pragma once
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde {

template <class T>
struct EndsFunctor {
  const T* samples;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Kokkos::MinMaxScalar<T>& ends) const {
    if (samples[i] < ends.min_val) ends.min_val = samples[i];
    if (samples[i] > ends.max_val) ends.max_val = samples[i];
  }
};

/// Waits for the result.
template <class T>
Kokkos::MinMaxScalar<T> ends_of(const Samples<T>& s) {
  Kokkos::MinMaxScalar<T> ends;
  Kokkos::parallel_reduce("parity::kde::ends",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n),
                          EndsFunctor<T>{s.data()}, Kokkos::MinMax<T>(ends));
  return ends;
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
#include "axpy.hpp"

#include <parity/kokkos.hpp>

template <class T>
struct KokkosAxpy : parity::kokkos::Version<Axpy, T> {
  Kokkos::View<const T*> x = this->input(this->data.x);
  Kokkos::View<T*> y = this->inout(this->data.y);
  void run(const Axpy& p) {
    const T s = T(p.s);
    const auto x = this->x;  // the lambda must not take 'this'
    const auto y = this->y;
    Kokkos::parallel_for(
        "axpy", Kokkos::RangePolicy<>(this->exec, 0, p.n),
        KOKKOS_LAMBDA(std::int64_t i) { y(i) += s * x(i); });
  }
  auto result() { return y; }
};
PARITY_VERSION(KokkosAxpy, "axpy", first);

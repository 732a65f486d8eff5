// SPDX-License-Identifier: BSD-3-Clause
#include <parity/kokkos.hpp>

#include "dot.hpp"

template <class T>
struct KokkosDot : parity::kokkos::Version<Dot, T> {
  Kokkos::View<const T*> x = this->input(this->data.x), y = this->input(this->data.y);
  T sum;
  void load() { sum = NAN; }
  void run(const Dot& p) {
    const auto x = this->x, y = this->y;
    Kokkos::parallel_reduce(
        "dot", Kokkos::RangePolicy<>(this->exec, 0, p.n),
        KOKKOS_LAMBDA(std::int64_t i, T & part) { part += x(i) * y(i); }, sum);
  }
  auto result() { return sum; }
};
PARITY_VERSION(KokkosDot, "dot", first);

// SPDX-License-Identifier: BSD-3-Clause
// window, Kokkos: samples sorted, each query summed over the samples within 7.9 (float) or 10 (double)
// bandwidths: every digit of the direct sum, any range, n times the window.
#include "runtime/text.hpp"
#include "window.hpp"

namespace parity::kde::window {
namespace {

constexpr double cutoff_of(std::size_t bytes) { return bytes == 4 ? 7.9 : 10.0; }

template <class T>
struct WindowSum {
  Samples<T> s;
  Array<T> sorted;
  Array<int> places;
  WindowSum(const Problem& p, const Tuning&)
      : s(p), sorted("sorted samples", std::size_t(p.n)), places("places", std::size_t(p.n)) {}
  void operator()() const {
    sort_with_places(s.exec, s.data(), s.p.n, sorted, places);
    evaluate();
  }
  void evaluate() const {
    const Problem& p = s.p;
    Kokkos::parallel_for(
        "parity::kde::window",
        Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>(s.exec,
                                                                                                      0, p.n),
        WindowFunctor<T>{sorted.data(), nullptr, p.n, sorted.data(), places.data(),
                         PolynomialTerm<T>(p.bandwidth), T(cutoff_of(sizeof(T)) * p.bandwidth), s.density(),
                         p.norm()});
  }
};

}  // namespace

Entry kokkos() {
  Entry e;
  e.direct = false;
  e.operations = 100;
  e.launches = 2;
  e.flushes = 1.0 / 16;
  e.extra_bytes = [](const Problem& p) { return double(p.n) * (compat::exec_is_device() ? 40.0 : 28.0); };
  e.refuse += [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (p.n > 2147483647) return "more than 2^31 - 1 samples: its places have 32 bits";
    const double pairs = p.pairs() * window_share(p, cutoff_of(runtime::bytes_of(p.precision)));
    if (pairs > (compat::exec_is_device() ? 2e12 : 5e10))
      return "its windows hold some " + runtime::three_digits(pairs) + " pairs: the transform is better";
    return std::nullopt;
  };
  return with_prepared_sum<WindowSum>(e, "sorted samples");
}

}  // namespace parity::kde::window

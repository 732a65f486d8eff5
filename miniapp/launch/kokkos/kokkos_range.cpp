// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-range: parallel_for over a RangePolicy, with functors on both sides of the sizes where Kokkos
// changes the way it passes them.
#include "launch/kokkos/probe.hpp"

namespace parity::launch {
namespace {

constexpr int most_bytes = 40960;

class KokkosRange : public KokkosLaunches<KokkosRange> {
 public:
  using KokkosLaunches::KokkosLaunches;
  void launch(const Work& work) {
    with_functor<most_bytes>(work, p_.argument_bytes, 0, [this](const auto& functor) {
      Kokkos::parallel_for("parity::launch::range",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec_, 0, int(p_.indices())),
                           functor);
    });
  }
};

struct BareRange {
  static constexpr int most = most_bytes;
  template <class F>
  static void once(const Exec& exec, const Problem& p, const F& functor) {
    Kokkos::parallel_for("parity::launch::bare_range",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, int(p.indices())),
                         functor);
  }
};

}  // namespace

Entry kokkos_range() {
  Entry e = kokkos_entry("kokkos-range", "parallel_for over a RangePolicy", "cuda-traditional",
                         "openmp-parallel-for");
  e.most_argument_bytes = most_bytes;
  return with_probe_and_loop<KokkosRange, BareRange>(e);
}

}  // namespace parity::launch

// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-kernel-reduce: parallel_reduce over a RangePolicy into a View, which does not wait for the
// result.
#include "backend/kokkos/launch/probe.hpp"

namespace parity::launch {
namespace {

/// Contributes nothing; waits where the event does.
template <Kind kind>
struct Contribution {
  Work work;
  KOKKOS_FUNCTION void operator()(int i, double&) const {
    if constexpr (kind != Kind::none) perform<kind>(work, i);
  }
};

class KokkosReduce : public KokkosLaunches<KokkosReduce> {
 public:
  explicit KokkosReduce(const Problem& p) : KokkosLaunches(p), sum_("sum") {}
  void launch(const Work& work) {
    if (work.kind == Kind::wait)
      reduce<Kind::wait>(work);
    else
      reduce<Kind::none>(work);
  }
  template <Kind kind>
  void reduce(const Work& work) {
    Kokkos::parallel_reduce("parity::launch::reduce",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec_, 0, int(p_.indices())),
                            Contribution<kind>{work}, sum_);
  }

 private:
  Kokkos::View<double, Exec> sum_;
};

}  // namespace

Entry kernel_reduce_kokkos() {
  Entry e = kokkos_entry();
  e.kernels = false;
  return with_probe<KokkosReduce>(e);
}

}  // namespace parity::launch

// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-kernel-reduce: parallel_reduce over a RangePolicy into a View, which does not wait for the
// result.
#include "algorithm.hpp"
#include "backend/kokkos/launch/probe.hpp"

namespace parity::launch::kernel_reduce {
namespace {

/// Contributes nothing; waits if the event does.
template <Kind kind>
struct Contribution {
  Work work;
  KOKKOS_FUNCTION void operator()(int i, double&) const {
    if constexpr (kind != Kind::none) perform<kind>(work, i);
  }
};

class KokkosKernelReduce : public KokkosProbe {
 public:
  explicit KokkosKernelReduce(const Problem& p) : KokkosProbe(p), sum_("sum") {}
  void start(int count, const Work& work) override {
    for (int k = 0; k < count; ++k) {
      if (work.kind == Kind::none)
        reduce(Contribution<Kind::none>{work});
      else
        reduce(Contribution<Kind::wait>{work});
    }
  }
  template <class Functor>
  void reduce(const Functor& functor) {
    using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
    Kokkos::parallel_reduce("parity::launch::kernel_reduce", Range(exec_, 0, int(p_.indices())), functor,
                            sum_);
  }

 private:
  Kokkos::View<double, Exec> sum_;
};

}  // namespace

Entry kokkos() { return with_probe<KokkosKernelReduce>(algorithm(compat::exec_is_device())); }

}  // namespace parity::launch::kernel_reduce

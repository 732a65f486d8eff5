// SPDX-License-Identifier: BSD-3-Clause
// Launches over a RangePolicy, with functors on both sides of the sizes where Kokkos changes the way it
// passes them. Ranges says which policy: policy(exec, indices), and the label.
#pragma once
#include "backend/kokkos/launch/probe.hpp"

namespace parity::launch {

using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;

constexpr int most_functor_bytes = 40960;

template <class Ranges>
class RangeLaunches : public KokkosLaunches<RangeLaunches<Ranges>> {
 public:
  using KokkosLaunches<RangeLaunches<Ranges>>::KokkosLaunches;
  void launch(const Work& work) {
    with_functor<most_functor_bytes>(work, this->p_.argument_bytes, 0, [this](const auto& functor) {
      Kokkos::parallel_for(Ranges::label, Ranges::policy(this->exec_, int(this->p_.indices())), functor);
    });
  }
};

template <class Ranges>
Entry range_entry() {
  Entry e = kokkos_entry();
  e.most_argument_bytes = most_functor_bytes;
  return with_probe<RangeLaunches<Ranges>>(e);
}

}  // namespace parity::launch

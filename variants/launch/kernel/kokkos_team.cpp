// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-kernel-team: parallel_for over a TeamPolicy, a team a block; on the host teams of one thread.
#include "backend/kokkos/launch/probe.hpp"

namespace parity::launch {
namespace {

class KokkosTeam : public KokkosLaunches<KokkosTeam> {
 public:
  using KokkosLaunches::KokkosLaunches;
  void launch(const Work& work) {
    const bool device = compat::exec_is_device();
    const int teams = device ? p_.blocks : int(p_.indices()), threads = device ? p_.threads : 1;
    with_functor<0>(work, 0, 0, [&](const auto& functor) {
      Kokkos::parallel_for("parity::launch::team", Kokkos::TeamPolicy<Exec>(exec_, teams, threads), functor);
    });
  }
};

}  // namespace

Entry kernel_kokkos_team() { return with_probe<KokkosTeam>(kokkos_entry()); }

}  // namespace parity::launch

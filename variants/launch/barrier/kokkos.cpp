// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-barrier: team_barrier, many times in one kernel.
#include <omp.h>

#include "backend/kokkos/launch/probe.hpp"

namespace parity::launch {
namespace {

template <Kind kind>
struct Passes {
  Work work;
  int count;
  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& m) const {
    for (int k = 0; k < count; ++k) {
      if constexpr (kind != Kind::none)
        perform<kind>(work, std::int64_t(m.league_rank()) * m.team_size() + m.team_rank());
      m.team_barrier();
    }
  }
};

class KokkosTeamBarrier : public KokkosProbe {
 public:
  using KokkosProbe::KokkosProbe;
  void start(int count, const Work& work) override {
    const Kokkos::TeamPolicy<Exec> teams(exec_, p_.blocks, p_.threads);
    if (work.kind == Kind::none)
      Kokkos::parallel_for("parity::launch::team_barrier", teams, Passes<Kind::none>{work, count});
    else
      Kokkos::parallel_for("parity::launch::team_barrier", teams, Passes<Kind::wait>{work, count});
  }
};

}  // namespace

Entry barrier_kokkos() {
  Entry e = kokkos_entry();
  e.role = Role::barrier;
  e.kernels = false;
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (!compat::exec_is_device() && p.threads > omp_get_max_threads())
      return "a host team has as many threads as OpenMP at most; reduce --threads or raise OMP_NUM_THREADS";
    return std::nullopt;
  };
  return with_probe<KokkosTeamBarrier>(e);
}

}  // namespace parity::launch

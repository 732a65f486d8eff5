// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-barrier: one kernel passes team_barrier many times.
#include "algorithm.hpp"
#include "backend/kokkos/launch/probe.hpp"

namespace parity::launch::barrier {
namespace {

template <Kind kind>
struct TeamPasses {
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

class KokkosBarrier : public KokkosProbe {
 public:
  using KokkosProbe::KokkosProbe;
  void start(int count, const Work& work) override {
    const Kokkos::TeamPolicy<Exec> teams(exec_, p_.blocks, p_.threads);
    if (work.kind == Kind::none)
      Kokkos::parallel_for("parity::launch::barrier", teams, TeamPasses<Kind::none>{work, count});
    else
      Kokkos::parallel_for("parity::launch::barrier", teams, TeamPasses<Kind::wait>{work, count});
  }
};

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (!compat::exec_is_device() && p.threads > compat::concurrency(Exec()))
      return "a host team has as many threads as OpenMP at most; reduce --threads or raise OMP_NUM_THREADS";
    return std::nullopt;
  };
  return with_probe<KokkosBarrier>(e);
}

}  // namespace parity::launch::barrier

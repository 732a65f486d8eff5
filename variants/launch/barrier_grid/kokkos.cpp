// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-barrier-grid: all teams of one kernel increment and poll a counter, many times.
#include "algorithm.hpp"
#include "backend/kokkos/launch/probe.hpp"
#include "runtime/kokkos/grid_barrier.hpp"

namespace parity::launch::barrier_grid {
namespace {

/// One team per multiprocessor, which the launch bounds guarantee for any team size.
using ResidentTeams = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;

template <Kind kind>
struct GridPasses {
  Work work;
  int count;
  compat::GridBarrier barrier;
  unsigned passed;
  KOKKOS_FUNCTION void operator()(const typename ResidentTeams::member_type& m) const {
    for (int k = 0; k < count; ++k) {
      if constexpr (kind != Kind::none) {
        perform<kind>(work, std::int64_t(m.league_rank()) * m.team_size() + m.team_rank());
      }
      barrier.pass(m, passed + unsigned(k));
    }
  }
};

class KokkosBarrierGrid : public KokkosProbe {
 public:
  using KokkosProbe::KokkosProbe;
  void start(int count, const Work& work) override {
    const ResidentTeams teams(exec_, p_.blocks, p_.threads);
    const compat::GridBarrier barrier(counter_.data(), p_.blocks);
    if (work.kind == Kind::none)
      Kokkos::parallel_for("parity::launch::barrier_grid", teams,
                           GridPasses<Kind::none>{work, count, barrier, passed_});
    else
      Kokkos::parallel_for("parity::launch::barrier_grid", teams,
                           GridPasses<Kind::wait>{work, count, barrier, passed_});
    passed_ += unsigned(count);
  }

 private:
  Kokkos::View<unsigned*, Exec> counter_{"counter of the barrier", 1};
  unsigned passed_ = 0;
};

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    const Exec exec;
    const int most = compat::teams_resident(exec, 1) / (compat::exec_is_device() ? 1 : p.threads);
    if (p.blocks <= most) return std::nullopt;
    return "of " + std::to_string(p.blocks) + " teams of " + std::to_string(p.threads) + " threads only " +
           std::to_string(most) +
           " are sure to be at work at once here, and they would wait for the others for ever; reduce "
           "--blocks" +
           (compat::exec_is_device() ? "" : " or --threads, or raise OMP_NUM_THREADS");
  };
  return with_probe<KokkosBarrierGrid>(e);
}

}  // namespace parity::launch::barrier_grid

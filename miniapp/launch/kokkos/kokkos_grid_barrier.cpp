// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-grid-barrier: a barrier of all teams of a launch, many times in one kernel.
#include <map>
#include <memory>

#include "launch/kokkos/probe.hpp"
#include "runtime/kokkos/grid_barrier.hpp"

namespace parity::launch {
namespace {

/// One team a multiprocessor: what the bounds promise of any team.
using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;

template <Kind kind>
struct GridPasses {
  Work work;
  int count;
  compat::GridBarrier barrier;
  unsigned passed;
  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& m) const {
    for (int k = 0; k < count; ++k) {
      if constexpr (kind != Kind::none) {
        perform<kind>(work, std::int64_t(m.league_rank()) * m.team_size() + m.team_rank());
      }
      barrier.pass(m, passed + unsigned(k));
    }
  }
};

/// What the teams count passes with.
struct Counter {
  Kokkos::View<unsigned*, Exec> word{"counter of the barrier", 1};
  unsigned passed = 0;
};

/// One counter for all kernels of so many teams, which never run at the same time: where a counter lies in a
/// GPU's L2 cache changes what a pass costs, and a probe is held against a plain loop of the same.
std::shared_ptr<Counter> counter_of(int teams) {
  static std::map<int, std::weak_ptr<Counter>> counters;
  std::shared_ptr<Counter> counter = counters[teams].lock();
  if (!counter) counters[teams] = counter = std::make_shared<Counter>();
  return counter;
}

/// The kernel with its counter.
class GridKernel {
 public:
  explicit GridKernel(const Problem& p) : p_(p), counter_(counter_of(p.blocks)) {}
  template <Kind kind>
  void launch(const Exec& exec, int count, const Work& work) {
    Kokkos::parallel_for("parity::launch::grid_barrier", Policy(exec, p_.blocks, p_.threads),
                         GridPasses<kind>{work, count, {counter_->word.data(), p_.blocks}, counter_->passed});
    counter_->passed += unsigned(count);
  }

 private:
  Problem p_;
  std::shared_ptr<Counter> counter_;
};

class KokkosGridBarrier : public KokkosProbe {
 public:
  explicit KokkosGridBarrier(const Problem& p) : KokkosProbe(p), kernel_(p) {}
  void start(int count, const Work& work) override {
    if (work.kind == Kind::none)
      kernel_.launch<Kind::none>(exec_, count, work);
    else
      kernel_.launch<Kind::wait>(exec_, count, work);
  }

 private:
  GridKernel kernel_;
};

class BareGridBarrier : public Bare {
 public:
  explicit BareGridBarrier(const Problem& p)
      : stream_(compat::exec_is_device()), exec_(compat::exec_on(stream_.get())), kernel_(p) {}
  void loop(int count, const Work& work) override { kernel_.launch<Kind::none>(exec_, count, work); }
  void wait() override { exec_.fence(); }

 private:
  runtime::Stream stream_;
  Exec exec_;
  GridKernel kernel_;
};

}  // namespace

Entry kokkos_grid_barrier() {
  Entry e = kokkos_entry("kokkos-grid-barrier", "a counter that all teams of a launch increment and watch",
                         "cuda-grid-sync", "");
  e.role = Role::barrier;
  e.kernels = false;
  e.bare = [](const Problem& p) -> std::unique_ptr<Bare> { return std::make_unique<BareGridBarrier>(p); };
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
  return with_probe<KokkosGridBarrier>(e);
}

}  // namespace parity::launch

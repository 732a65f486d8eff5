// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-grid-barrier: one launch for all steps, a barrier of all teams after each. On a GPU warps
// take column strips in turn, as in the native twin; on a host every thread has its share of the rows.
#include "diffusion/column_strip.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"
#include "backend/kokkos/diffusion/whole.hpp"
#include "diffusion/points.hpp"
#include "runtime/kokkos/grid_barrier.hpp"

namespace parity::diffusion {
namespace {

constexpr int rows = 8;  ///< of a strip

/// Threads of a team x teams that a multiprocessor has room for, by the compiler's promise.
template <int threads_, int teams_>
struct ResidentTeams {
  static constexpr int threads = threads_, teams = teams_;
  static std::string name() { return std::to_string(threads) + "x" + std::to_string(teams); }
};
using ResidentForms = FormList<ResidentTeams<256, 2>, ResidentTeams<256, 3>, ResidentTeams<128, 6>,
                               ResidentTeams<128, 4>, ResidentTeams<512, 1>>;

/// All steps; Share: of a step's work, what a team does. No input is promised to be read only: it was output
/// in the step before.
template <class T, class Share>
struct AllSteps {
  T *even, *odd;
  Share share;
  compat::GridBarrier barrier;
  std::int64_t steps;
  unsigned passed;  ///< before this launch
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    for (std::int64_t s = 0; s < steps; ++s) {
      share(team, s % 2 == 0 ? even : odd, s % 2 == 0 ? odd : even);
      barrier.pass(team, passed + unsigned(s));
    }
  }
};

template <class T, bool whole>
struct StripShare {
  AllStrips<rows, whole, T> all;
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team, const T* in, T* out) const {
    const unsigned warps = unsigned(team.team_size()) / 32, thread = unsigned(team.team_rank());
    all.step(in, out, unsigned(team.league_rank()) * warps + thread / 32,
             unsigned(team.league_size()) * warps, int(thread % 32));
  }
};

/// On a host: neighbouring rows of all planes.
template <class T>
struct RowShare {
  int nx, ny, pitch;
  std::int64_t nz;
  T alpha;
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team, const T* in, T* out) const {
    const PointRows<WrapPoints<T>> all({in, out, nx, ny, pitch, alpha}, {nz, ny, nx});
    const std::int64_t lines = nz * ny, teams = team.league_size(),
                       first = lines * team.league_rank() / teams,
                       last = lines * (team.league_rank() + 1) / teams;
    for (std::int64_t row = first; row < last; ++row) all(int(row));
  }
};

template <class T>
struct GridBarrierSteps {
  Fields<T> f;
  Tuning tuning;
  Kokkos::View<unsigned*, Exec> counter;
  mutable unsigned passed = 0;
  GridBarrierSteps(const Problem& p, const Tuning& t)
      : f(Fields<T>::packed(p)), tuning(t), counter("counter of the barrier", 1) {}

  int operator()() const {
    const Problem& p = f.p;
    if constexpr (compat::exec_is_device()) {
      ResidentForms::with(tuning, [&](auto form) {
        if (p.nx % pack_width<T> == 0)
          strips<decltype(form), true>();
        else
          strips<decltype(form), false>();
      });
    } else {
      const int teams = int(std::min<std::int64_t>(compat::teams_resident(f.exec, 1), p.nz * p.ny));
      launch(TeamPolicy(f.exec, teams, 1, 1), teams,
             RowShare<T>{int(p.nx), int(p.ny), int(f.pitch), p.nz, T(p.alpha)});
    }
    passed += unsigned(p.steps);
    return int(p.steps % 2);
  }
  template <class Form, bool whole>
  void strips() const {
    const Problem& p = f.p;
    constexpr int warps = Form::threads / 32;
    const StripShare<T, whole> share{AllStrips<rows, whole, T>(p.nx, p.ny, p.nz, f.pitch, p.alpha)};
    const int teams = int(std::min<std::int64_t>(compat::teams_resident(f.exec, Form::teams),
                                                 ceil_divide(share.all.strips, warps)));
    using Policy =
        Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(Form::threads), unsigned(Form::teams)>>;
    launch(Policy(f.exec, teams, Form::threads, 1), teams, share);
  }
  template <class Policy, class Share>
  void launch(const Policy& policy, int teams, const Share& share) const {
    Kokkos::parallel_for(
        "parity::diffusion::grid_barrier", policy,
        AllSteps<T, Share>{f[0].data(), f[1].data(), share, {counter.data(), teams}, f.p.steps, passed});
  }
};

}  // namespace

Entry grid_barrier_kokkos() {
  Entry e = expert_entry<ResidentForms>("threads of a team x teams on a multiprocessor");
  // Its teams wait for each other without a cooperative launch: beside another program on the GPU for ever.
  e.by_name_only = compat::exec_is_device();
  e.model = [](const Problem& p) {
    harness::CostModel m = cost_per_step(p, 1, 2, direct_flops);
    m.launches = 1;
    m.barriers = true;
    return m;
  };
  return with_run<GridBarrierSteps>(e);
}

}  // namespace parity::diffusion

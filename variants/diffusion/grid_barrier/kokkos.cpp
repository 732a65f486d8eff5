// SPDX-License-Identifier: BSD-3-Clause
// grid_barrier, Kokkos: one launch runs all steps, with a barrier of all teams after each. On a GPU each warp
// takes one strip of columns after the other; on a host every thread has its share of the rows.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "runtime/kokkos/grid_barrier.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion::grid_barrier {
namespace {

/// Runs all steps. whole: nx is a multiple of the pack, so that no pack crosses the periodic seam. No input
/// is declared read-only: the step before wrote it.
template <class T, bool whole>
struct StepsOfStrips {
  T *even, *odd;
  Strips strips;
  T alpha;
  compat::GridBarrier barrier;
  std::int64_t steps;
  unsigned passed;  ///< number of barriers before this launch

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    constexpr int width = pack_width<T>;
    const unsigned of_team = unsigned(team.team_size()) / 32, warps = unsigned(team.league_size()) * of_team,
                   first = unsigned(team.league_rank()) * of_team + unsigned(team.team_rank()) / 32;
    const int lane = int(unsigned(team.team_rank()) % 32), nx = strips.nx, ny = strips.ny,
              pitch = strips.pitch, packs = packs_in_row<T>(nx);
    for (std::int64_t s = 0; s < steps; ++s) {
      const T* const in = s % 2 == 0 ? even : odd;
      T* const out = s % 2 == 0 ? odd : even;
      for (unsigned n = first; n < strips.count; n += warps) {
        const unsigned row = strips.by_warps(n), warp = strips.by_warps.remainder(n, row),
                       k = strips.by_chunks(row), chunk = strips.by_chunks.remainder(row, k);
        const int j0 = int(chunk) * rows, pack = int(warp) * warp_packs + lane - 1;
        const T* const plane = in + std::size_t(k) * ny * pitch;
        T* const result = out + std::size_t(k) * ny * pitch;
        ColumnStrip<T, rows> strip;
        if constexpr (whole) {
          const int i0 = (pack + packs) % packs * width;
          for_input_rows<rows>(j0, ny, [&](int r, int j) {
            const auto centre = *reinterpret_cast<const Pack<T>*>(plane + std::size_t(j) * pitch + i0);
            PARITY_UNROLL
            for (int i = 0; i < width; ++i) strip.at[r][i + 2] = centre.v[i];
          });
        } else {
          int column[width];
          PARITY_UNROLL
          for (int i = 0; i < width; ++i) column[i] = modulo(pack * width + i, nx);
          for_input_rows<rows>(j0, ny, [&](int r, int j) {
            PARITY_UNROLL
            for (int i = 0; i < width; ++i) strip.at[r][i + 2] = plane[std::size_t(j) * pitch + column[i]];
          });
        }
        const bool computes = lane > 0 && lane < 31 && pack < packs;
        update_rows(
            strip, alpha,
            [&](int r) {  // the two columns on either side
              PARITY_UNROLL
              for (int i = 0; i < 2; ++i) {
                strip.at[r][i] = runtime::from_lane_below(strip.at[r][width + i]);
                strip.at[r][width + 2 + i] = runtime::from_lane_above(strip.at[r][2 + i]);
              }
            },
            [&](int u, const Pack<T>& values) {
              if (computes && j0 + u < ny)
                *reinterpret_cast<Pack<T>*>(result + std::size_t(j0 + u) * pitch + pack * width) = values;
            });
      }
      barrier.pass(team, passed + unsigned(s));
    }
  }
};

/// Runs all steps on a host: each team has neighbouring rows of all planes.
template <class T>
struct StepsOfRows {
  T *even, *odd;
  int nx, ny, pitch;
  std::int64_t nz;
  T alpha;
  compat::GridBarrier barrier;
  std::int64_t steps;
  unsigned passed;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const std::int64_t lines = nz * ny, teams = team.league_size(),
                       first = lines * team.league_rank() / teams,
                       last = lines * (team.league_rank() + 1) / teams;
    const std::ptrdiff_t left = nx < 2 ? nx : 2, right = nx - 2 > left ? nx - 2 : left;
    for (std::int64_t s = 0; s < steps; ++s) {
      const T* const in = s % 2 == 0 ? even : odd;
      T* const out = s % 2 == 0 ? odd : even;
      for (std::int64_t line = first; line < last; ++line) {
        const std::int64_t k = line / ny;
        const WrappedRows<T> around(in + k * ny * pitch, int(line - k * ny), ny, pitch);
        T* const to = out + line * pitch;
        for (std::ptrdiff_t i = 0; i < left; ++i)
          to[i] = update_at(alpha, WrappedNeighbours<T>(around, int(i), nx));
        PARITY_LANES
        for (std::ptrdiff_t i = 2; i < nx - 2; ++i) to[i] = update_at(alpha, RowNeighbours<T>{around, i});
        for (std::ptrdiff_t i = right; i < nx; ++i)
          to[i] = update_at(alpha, WrappedNeighbours<T>(around, int(i), nx));
      }
      barrier.pass(team, passed + unsigned(s));
    }
  }
};

/// Threads per team, and teams that fit a multiprocessor, which the launch bounds guarantee.
template <int threads_, int teams_>
struct ResidentTeams {
  static constexpr int threads = threads_, teams = teams_;
};
/// Calls f with the ResidentTeams of a tuning; returns false if they are not compiled.
template <class F>
bool with_teams(const Tuning& t, const F& f) {
  const auto tried = [&](auto teams) {
    if (t[0] != teams.threads || t[1] != teams.teams) return false;
    f(teams);
    return true;
  };
  return tried(ResidentTeams<256, 2>()) || tried(ResidentTeams<256, 3>()) || tried(ResidentTeams<128, 6>()) ||
         tried(ResidentTeams<128, 4>()) || tried(ResidentTeams<512, 1>());
}

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
    const char* const label = "parity::diffusion::grid_barrier";
    if constexpr (teams_on_device) {
      with_teams(tuning, [&](auto form) {
        constexpr unsigned threads = form.threads, least = form.teams;
        const Strips strips = Strips::of<T>(p, f.pitch);
        const int teams = int(std::min<std::int64_t>(compat::teams_resident(f.exec, form.teams),
                                                     (strips.count + threads / 32 - 1) / (threads / 32)));
        const Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, least>> policy(f.exec, teams,
                                                                                    int(threads), 1);
        const auto launch = [&](auto whole) {
          Kokkos::parallel_for(
              label, policy,
              StepsOfStrips<T, decltype(whole)::value>{
                  f[0].data(), f[1].data(), strips, T(p.alpha), {counter.data(), teams}, p.steps, passed});
        };
        p.nx % pack_width<T> == 0 ? launch(std::true_type()) : launch(std::false_type());
      });
    } else {
      const int teams = int(std::min<std::int64_t>(compat::teams_resident(f.exec, 1), p.nz * p.ny));
      Kokkos::parallel_for(label, TeamPolicy(f.exec, teams, 1, 1),
                           StepsOfRows<T>{f[0].data(),
                                          f[1].data(),
                                          int(p.nx),
                                          int(p.ny),
                                          int(f.pitch),
                                          p.nz,
                                          T(p.alpha),
                                          {counter.data(), teams},
                                          p.steps,
                                          passed});
    }
    passed += unsigned(p.steps);
    return int(p.steps % 2);
  }
};

}  // namespace
}  // namespace parity::diffusion::grid_barrier

namespace parity::diffusion::grid_barrier {

Entry kokkos() {
  using namespace grid_barrier;
  // Its teams wait for each other without a cooperative launch: for ever if another program uses the GPU.
  Entry e = algorithm();
  if (compat::exec_is_device()) {
    e.tunings = {"256x2", "256x3", "128x6", "128x4", "512x1"};
    e.tuning_axes = "threads of a team x teams on a multiprocessor";
  }
  e.refuse += [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (compat::exec_is_device() && !with_teams(t, [](auto) {}))
      return "it is compiled for 256x2, 256x3, 128x6, 128x4, 512x1";
    return std::nullopt;
  };
  return with_run<GridBarrierSteps>(e);
}

}  // namespace parity::diffusion::grid_barrier

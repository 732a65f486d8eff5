// SPDX-License-Identifier: BSD-3-Clause
// The cost for a team's threads to exchange values through scratch, as Kokkos provides it and as a compiler
// could know it: Kokkos issue 5879 (the level of scratch as a constant), and the branch in team_barrier() on
// blockDim.z, which is 1 for each TeamPolicy.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "question.hpp"
#include "runtime/kokkos/team_hints.hpp"

namespace parity::questions {
namespace {

using compat::Exec;
using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<128, 4>>;

constexpr int threads = 128, columns = 8, width = threads * columns, rounds = 4000;
constexpr int bytes = 2 * width * int(sizeof(float));

/// A ring of values that is smoothed: each thread has 'columns' of them and reads one of each neighbour.
KOKKOS_INLINE_FUNCTION float smoothed(float left, float here, float right) {
  return 0.5f * here + 0.25f * (left + right);
}

template <bool known_scratch, bool known_block>
struct Ring {
  Kokkos::View<float*, Exec> out;
  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    float* const values =
        known_scratch ? compat::scratch_of<float>(team, bytes)
                      : static_cast<float*>(team.team_scratch(0).get_shmem_aligned(std::size_t(bytes), 16));
    const int t = team.team_rank();
    for (int i = 0; i < columns; ++i) values[i * threads + t] = float((i * threads + t) % 7);
    compat::team_barrier<known_block>(team);
    int from = 0;
    for (int r = 0; r < rounds; ++r) {
      const int to = width - from;
      for (int i = 0; i < columns; ++i) {
        const int at = i * threads + t;
        values[to + at] = smoothed(values[from + (at + width - 1) % width], values[from + at],
                                   values[from + (at + 1) % width]);
      }
      from = to;
      compat::team_barrier<known_block>(team);
    }
    for (int i = 0; i < columns; ++i)
      out(team.league_rank() * width + i * threads + t) = values[from + i * threads + t];
  }
};

std::vector<float> on_the_host() {
  std::vector<float> now(width), next(width);
  for (int i = 0; i < width; ++i) now[std::size_t(i)] = float(i % 7);
  for (int r = 0; r < rounds; ++r, now.swap(next))
    for (int i = 0; i < width; ++i)
      next[std::size_t(i)] = smoothed(now[std::size_t((i + width - 1) % width)], now[std::size_t(i)],
                                      now[std::size_t((i + 1) % width)]);
  return now;
}

/// Prints a line; true if every team has the host's values, up to rounding.
template <bool known_scratch, bool known_block>
bool line(const std::vector<float>& expected) {
  const Exec exec;
  const int league = 4 * compat::multiprocessors(exec);
  Ring<known_scratch, known_block> ring{Kokkos::View<float*, Exec>("ring", std::size_t(league) * width)};
  Policy policy(exec, league, threads, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
  double best = 1e9;
  for (int k = 0; k < 9; ++k) {
    const Kokkos::Timer timer;
    Kokkos::parallel_for("parity::questions::ring", policy, ring);
    exec.fence();
    best = std::min(best, timer.seconds());
  }
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ring.out);
  bool right = true;
  for (std::size_t i = 0; i < found.extent(0); ++i) right &= std::abs(found(i) - expected[i % width]) < 1e-3f;
  std::printf("%-22s  %-22s  %8.1f  %s\n", known_scratch ? "known to the compiler" : "as Kokkos gives it",
              known_block ? "no branch" : "branch on blockDim.z", best / rounds * 1e9,
              right ? "right" : "WRONG");
  return right;
}

}  // namespace

Answer teams() {
  if (!compat::exec_is_device()) {
    std::printf("teams have one thread on a host: Kokkos' default execution space is no GPU here\n");
    return Answer::cannot_run;
  }
  const std::vector<float> expected = on_the_host();
  std::printf("scratch                 team_barrier            ns/round\n");
  bool right = true;
  right &= line<false, false>(expected);
  right &= line<false, true>(expected);
  right &= line<true, false>(expected);
  right &= line<true, true>(expected);
  return right ? Answer::fine : Answer::fault;
}

}  // namespace parity::questions

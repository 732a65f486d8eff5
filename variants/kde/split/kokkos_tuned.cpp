// SPDX-License-Identifier: BSD-3-Clause
// split, Kokkos, tuned: one team per tile of queries and chunk, with samples and the table of powers in its
// scratch memory. On a host a team is one thread, whose queries are vector lanes.
#include "algorithm.hpp"
#include "backend/kokkos/kde/chunks.hpp"
#include "backend/kokkos/kde/split.hpp"

namespace parity::kde::split {
namespace {

constexpr int split_queries = compat::exec_is_device() ? 1 : 64,
              split_threads = compat::exec_is_device() ? 256 : 1;
template <class T>
using SplitTeamTerm = std::conditional_t<compat::exec_is_device(), HardwareTerm<T>, PolynomialTerm<T>>;

template <class T>
struct SplitTeam {
  using Term = SplitTeamTerm<T>;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(split_threads), 1>>;
  using Team = typename Policy::member_type;
  const T *queries, *samples;
  Term shared_term;
  Split split;
  Sink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int R = split_queries;
    const int tile = team.league_rank() % split.tiles, chunk = team.league_rank() / split.tiles,
              thread = team.team_rank(), threads = team.team_size();
    auto* const stage = scratch_of<Pack<T>>(team, chunk_scratch<T, Term>);
    Term term = shared_term;
    term.bind(reinterpret_cast<double*>(stage + stage_packs), thread, threads);  // add_chunk synchronises
    const auto query = [&](int r) { return (std::int64_t(tile) * R + r) * threads + thread; };
    T q[R];
    double total[R];
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) total[r] = 0;
    PARITY_LANES
    for (int r = 0; r < R; ++r) q[r] = queries[query(r) < sink.n ? query(r) : sink.n - 1];
    add_chunk<8, R>(team, term, q, samples, split.first(chunk), split.last(chunk), stage, total);
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) sink.put(chunk, query(r), total[r]);
  }
};

template <class T>
struct SplitTeams : SplitPasses<T, SplitTeams<T>> {
  SplitTeams(const Problem& p, const Tuning& t)
      : SplitPasses<T, SplitTeams>(p, t, split_queries * split_threads) {}
  template <class Queue>
  void first(Queue& queue, const Sink<T>& sink) const {
    using Team = SplitTeam<T>;
    typename Team::Policy policy(queue.exec(), this->split.tiles * this->split.chunks, split_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(chunk_request<T, typename Team::Term>));
    Kokkos::parallel_for(
        queue, "parity::kde::split_tuned", policy,
        Team{this->s.data(), this->s.data(), typename Team::Term(this->s.p.bandwidth), this->split, sink});
  }
};

}  // namespace

Entry kokkos_tuned() { return with_split<SplitTeams>(algorithm()); }

}  // namespace parity::kde::split

// SPDX-License-Identifier: BSD-3-Clause
// R queries of a thread in registers against chunks of samples in team scratch, and the second pass over the
// chunks' sums: what most portable direct sums are made of. On a host a team is one thread and R its vector
// lanes.
#pragma once
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde {

template <class T, int R, class Term, int threads, int least_blocks, int unroll, class Into = Sink<T>>
struct RegisterTileFunctor {
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(threads), unsigned(least_blocks)>>;
  using Member = typename Policy::member_type;
  const T *queries, *samples;
  Term term;
  Split split;
  Into sink;

  static constexpr std::size_t scratch_bytes =
      stage_packs * sizeof(Pack<T>) + (Term::table_size + 2) * sizeof(double);
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const int tile = team.league_rank() % split.tiles, chunk = team.league_rank() / split.tiles;
    const int thread = team.team_rank(), size = team.team_size();
    auto* const stage = scratch_of<Pack<T>>(team, scratch_bytes - 2 * sizeof(double));
    Term bound = term;
    bound.bind(reinterpret_cast<double*>(stage + stage_packs), thread, size);
    T q[R];
    typename Into::Total total[R];
    for (int r = 0; r < R; ++r) total[r] = {};
    load_queries(queries, sink.n, tile, thread, size, q);
    add_staged<unroll, R>(bound, q, reinterpret_cast<const Pack<T>*>(samples), split.first(chunk),
                          split.last(chunk), stage, thread, size, TeamBarrier<Member>{team}, total);
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) sink.put(chunk, query_of(tile, r, thread, size, R), total[r]);
  }
};

template <class Into>
struct SecondPassFunctor {
  Into sink;
  int chunks;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t query) const { sink.finish(chunks, query); }
};

/// Launches a register tile and, where there are several chunks, the second pass. threads and blocks are the
/// device's; a host has teams of one.
template <class T, int R, class Term, int threads, int least_blocks, int unroll>
struct RegisterTile {
  using Functor = RegisterTileFunctor<T, R, Term, threads, least_blocks, unroll>;
  static constexpr int team_size = compat::exec_is_device() ? threads : 1;
  Samples<T> s;
  Split split;
  Array<double> partial;
  RegisterTile(const Problem& p, const Tuning&)
      : s(p),
        split(compat::exec_is_device()
                  ? split_for(p.n, R * team_size, resident_teams(s.exec, team_size, least_blocks))
                  : split_into(p.n, R * team_size, 1)),
        partial("partial sums", std::size_t(split.chunks > 1 ? split.chunks * p.n : 0)) {}
  void operator()() const {
    const Sink<T> sink = s.sink(split.chunks > 1 ? partial.data() : nullptr);
    Kokkos::parallel_for("parity::kde::register_tile",
                         typename Functor::Policy(s.exec, split.tiles * split.chunks, team_size)
                             .set_scratch_size(0, Kokkos::PerTeam(int(Functor::scratch_bytes))),
                         Functor{s.data(), s.data(), Term(s.p.bandwidth), split, sink});
    if (split.chunks > 1)
      Kokkos::parallel_for("parity::kde::second_pass",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n),
                           SecondPassFunctor<Sink<T>>{sink, split.chunks});
  }
};

/// The bytes of partial sums that split_for allows.
inline double partial_bytes(const Problem& p) {
  return compat::exec_is_device() ? std::max(8.0 * double(p.n), double(std::int64_t(64) << 20)) : 0.0;
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-team-scratch: one query a thread, samples staged through team scratch, the library's exp.
// Twin of cuda-shared-tile, openmp-direct.
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde {
namespace {

template <class T>
struct TeamScratchFunctor {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  const T* samples;
  LibraryTerm<T> term;
  Split split;
  Sink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    auto* const stage = scratch_of<Pack<T>>(team, stage_packs * sizeof(Pack<T>));
    const int thread = team.team_rank(), threads = team.team_size(), tile = team.league_rank();
    T q[1];
    double total[1] = {0};
    load_queries(samples, sink.n, tile, thread, threads, q);
    add_staged<1, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), 0, split.packs, stage, thread,
                     threads, TeamBarrier<Member>{team}, total);
    sink.put(0, query_of(tile, 0, thread, threads, 1), total[0]);
  }
};

template <class T>
struct TeamScratch {
  Samples<T> s;
  int team_size;
  TeamScratch(const Problem& p, const Tuning& t) : s(p), team_size(t[0]) {}
  void operator()() const {
    const Split split = split_into(s.p.n, team_size, 1);
    Kokkos::parallel_for("parity::kde::team_scratch",
                         Kokkos::TeamPolicy<Exec>(s.exec, split.tiles, team_size)
                             .set_scratch_size(0, Kokkos::PerTeam(int(stage_packs * sizeof(Pack<T>) + 16))),
                         TeamScratchFunctor<T>{s.data(), LibraryTerm<T>(s.p.bandwidth), split, s.sink()});
  }
};

}  // namespace

Entry shared_tile_kokkos() {
  Entry e;
  e.tuning_axes = "team size";
  e.tunings = {"1"};
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] > 1) return "a host's team is one thread";
    return std::nullopt;
  };
  if (compat::exec_is_device()) {
    // Kokkos teams are at least a warp wide to be of use; the original work's narrower blocks have native
    // rows.
    e.tunings = {"256", "32", "64", "128", "512", "1024"};
    e.refuse = refuse_wide_blocks;
  }
  return with_sum<TeamScratch>(e);
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// shared_tile, Kokkos: one team per tile of queries, with samples in the team's scratch memory.
#include "algorithm.hpp"
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde::shared_tile {
namespace {

template <class T>
struct SharedTileTeam {
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  const T* samples;
  LibraryTerm<T> term;
  int packs;
  T* density;
  std::int64_t n;
  double norm;
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    auto* const stage = scratch_of<Pack<T>>(team, stage_packs * sizeof(Pack<T>));
    const int thread = team.team_rank(), threads = team.team_size();
    const std::int64_t i = std::int64_t(team.league_rank()) * threads + thread;
    const T q = samples[i < n ? i : n - 1];
    double total = 0;
    for (int at = 0; at < packs; at += stage_packs) {
      const int count = packs - at < stage_packs ? packs - at : stage_packs;
      team.team_barrier();
      for (int k = thread; k < count; k += threads)
        stage[k] = reinterpret_cast<const Pack<T>*>(samples)[at + k];
      team.team_barrier();
      for (int first = 0; first < count; first += flush_packs) {
        T sum = 0;
        PARITY_UNROLL_BY(1)
        for (int k = 0; k < flush_packs; ++k) sum = add_pack(term, q, stage[first + k], sum);
        total += double(sum);
      }
    }
    if (i < n) density[i] = T(total * norm);
  }
};

template <class T>
struct SharedTile {
  Samples<T> s;
  int threads;
  SharedTile(const Problem& p, const Tuning& t) : s(p), threads(t[0]) {}
  void operator()() const {
    const int tiles = int((s.p.n + threads - 1) / threads);
    Kokkos::parallel_for("parity::kde::shared_tile",
                         Kokkos::TeamPolicy<Exec>(s.exec, tiles, threads)
                             .set_scratch_size(0, Kokkos::PerTeam(int(stage_packs * sizeof(Pack<T>) + 16))),
                         SharedTileTeam<T>{s.data(), LibraryTerm<T>(s.p.bandwidth),
                                           int(s.size() / pack_width), s.density(), s.p.n, s.p.norm()});
  }
};

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  e.tuning_axes = "team size";
  if (compat::exec_is_device()) {
    // Kokkos teams below a warp's width are of no use; native variants cover the original work's narrower
    // blocks.
    e.tunings = {"256", "32", "64", "128", "512", "1024"};
  } else {
    e.tunings = {"1"};
    e.refuse += [](const Problem&, const Tuning& t) -> std::optional<std::string> {
      if (t[0] > 1) return "a host's team is one thread";
      return std::nullopt;
    };
  }
  return with_sum<SharedTile>(e);
}

}  // namespace parity::kde::shared_tile

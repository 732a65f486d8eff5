// SPDX-License-Identifier: BSD-3-Clause
// register_tile, Kokkos: one team per tile of queries and chunk of samples, which it stages through its
// scratch memory. On a host a team is one thread, and its queries are vector lanes.
#include "algorithm.hpp"
#include "backend/kokkos/kde/chunks.hpp"

namespace parity::kde::register_tile {
namespace {

template <class T, class Tile>
struct RegisterTileTeam {
  using Term = typename Tile::Term;
  using Policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(Tile::threads), unsigned(Tile::blocks)>>;
  using Team = typename Policy::member_type;
  const T *queries, *samples;
  Term shared_term;
  Split split;
  Sink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int R = Tile::queries;
    const int tile = team.league_rank() % split.tiles, chunk = team.league_rank() / split.tiles,
              thread = team.team_rank(), threads = team.team_size();
    auto* const stage = scratch_of<Pack<T>>(team, chunk_scratch<T, Term>);
    Term term = shared_term;
    term.bind(reinterpret_cast<double*>(stage + stage_packs), thread,
              threads);  // the loop below synchronises
    const auto query = [&](int r) { return (std::int64_t(tile) * R + r) * threads + thread; };
    T q[R];
    double total[R];
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) total[r] = 0;
    PARITY_LANES
    for (int r = 0; r < R; ++r) q[r] = queries[query(r) < sink.n ? query(r) : sink.n - 1];
    for (int at = split.first(chunk); at < split.last(chunk); at += stage_packs) {
      const int count = split.last(chunk) - at < stage_packs ? split.last(chunk) - at : stage_packs;
      team.team_barrier();
      for (int k = thread; k < count; k += threads)
        stage[k] = reinterpret_cast<const Pack<T>*>(samples)[at + k];
      team.team_barrier();
      for (int first = 0; first < count; first += flush_packs) {
        T sum[R];
        PARITY_LANES
        for (int r = 0; r < R; ++r) sum[r] = 0;
        PARITY_UNROLL_BY(Tile::unroll)
        for (int k = 0; k < flush_packs; ++k) add_pack(term, q, stage[first + k], sum);
        PARITY_LANES
        for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
      }
    }
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) sink.put(chunk, query(r), total[r]);
  }
};

template <class T, class Tile>
struct RegisterTile {
  using Kernel = RegisterTileTeam<T, Tile>;
  Samples<T> s;
  Split split;
  Array<double> partial;
  RegisterTile(const Problem& p, const Tuning&)
      : s(p),
        split(compat::exec_is_device() ? split_for(p.n, Tile::queries * Tile::threads,
                                                   resident_teams(s.exec, Tile::threads, Tile::blocks))
                                       : split_into(p.n, Tile::queries * Tile::threads, 1)),
        partial("partial sums", std::size_t(split.chunks > 1 ? split.chunks * p.n : 0)) {}
  void operator()() const {
    const Sink<T> sink = s.sink(split.chunks > 1 ? partial.data() : nullptr);
    Kokkos::parallel_for("parity::kde::register_tile",
                         typename Kernel::Policy(s.exec, split.tiles * split.chunks, Tile::threads)
                             .set_scratch_size(0, Kokkos::PerTeam(chunk_request<T, typename Tile::Term>)),
                         Kernel{s.data(), s.data(), typename Tile::Term(s.p.bandwidth), split, sink});
    if (split.chunks > 1)
      Kokkos::parallel_for("parity::kde::second_pass",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n),
                           SecondPass<Sink<T>>{sink, split.chunks});
  }
};

/// Tile of a host: the queries are R vector lanes of one thread.
template <class T, int R>
struct LanesTile {
  using Term = PolynomialTerm<T>;
  static constexpr int queries = R, threads = 1, blocks = 1, unroll = 1;
};

template <class T>
std::unique_ptr<Variant<T>> make_register_tile(const Problem& p, const Tuning& t) {
  const auto make = [&](auto tile) { return make_sum<T, RegisterTile<T, decltype(tile)>>(p, t); };
  if constexpr (compat::exec_is_device())
    return with_tile<T>(t, make);
  else
    return t[0] == 32 ? make(LanesTile<T, 32>()) : make(LanesTile<T, 64>());
}

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  e.extra_bytes = partial_bytes;
  if (!compat::exec_is_device()) {
    e.launches = 1;
    e.tunings = {"64", "32"};
    e.tuning_axes = "queries of a thread: 32 or 64";
    e.polynomial_place = 0;
    e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
      if (t[0] != 32 && t[0] != 64) return "a thread takes 32 or 64 queries";
      return std::nullopt;
    };
  }
  e.make_f32 = make_register_tile<float>;
  e.make_f64 = make_register_tile<double>;
  return e;
}

}  // namespace parity::kde::register_tile

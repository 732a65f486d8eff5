// SPDX-License-Identifier: BSD-3-Clause
// ring, Kokkos: one team per tile of the rank's queries and chunk of the current block of samples.
#include "algorithm.hpp"
#include "backend/kokkos/kde/chunks.hpp"

namespace parity::kde::ring {
namespace {

/// register_tile's default configuration for a GPU, where double needs twice the registers, or a host's
/// vector lanes.
template <class T, bool on_device = compat::exec_is_device()>
struct RingTile {
  using Term = HardwareTerm<T>;
  static constexpr bool single = sizeof(T) == 4;
  static constexpr int queries = 4, threads = single ? 128 : 256, blocks = single ? 8 : 1,
                       unroll = single ? 16 : 2;
};
template <class T>
struct RingTile<T, false> {
  using Term = PolynomialTerm<T>;
  static constexpr int queries = 64, threads = 1, blocks = 1, unroll = 1;
};

template <class T>
struct RingTeam {
  using Tile = RingTile<T>;
  using Term = typename Tile::Term;
  using Policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(Tile::threads), unsigned(Tile::blocks)>>;
  using Team = typename Policy::member_type;
  const T *queries, *samples;
  Term shared_term;
  Split split;
  RingSink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int R = Tile::queries;
    const int tile = team.league_rank() % split.tiles, chunk = team.league_rank() / split.tiles,
              thread = team.team_rank(), threads = team.team_size();
    auto* const stage = scratch_of<Pack<T>>(team, chunk_scratch<T, Term>);
    Term term = shared_term;
    term.bind(reinterpret_cast<double*>(stage + stage_packs), thread, threads);  // add_chunk synchronises
    const auto query = [&](int r) { return (std::int64_t(tile) * R + r) * threads + thread; };
    T q[R];
    ExactSum total[R];
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) total[r] = {};
    PARITY_LANES
    for (int r = 0; r < R; ++r) q[r] = queries[query(r) < sink.n ? query(r) : sink.n - 1];
    add_chunk<Tile::unroll, R>(team, term, q, samples, split.first(chunk), split.last(chunk), stage, total);
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) sink.put(chunk, query(r), total[r]);
  }
};

template <class T>
class RingPart {
 public:
  using Tile = RingTile<T>;
  static constexpr bool on_device = compat::exec_is_device();
  static constexpr int threads = Tile::threads, tile_size = Tile::queries * threads;

  RingPart(const Problem& part, std::int64_t block, const Tuning&)
      : s_(part, block),
        split_(ring_split(on_device
                              ? split_for(block, tile_size, resident_teams(s_.exec, threads, Tile::blocks))
                              : split_into(block, tile_size, 1),
                          part.n, tile_size)),
        rooms_{Array<T>("block", std::size_t(block)), Array<T>("block", std::size_t(block))},
        sums_("sums", std::size_t(part.n)),
        partial_("partial sums", std::size_t(split_.chunks > 1 ? split_.chunks * part.n : 0)) {}

  void load(const T* samples) const { s_.load(samples); }
  void store(T* density) const { s_.store(density); }
  void synchronise() const { s_.synchronise(); }
  void* stream() const { return compat::stream_of(s_.exec); }
  runtime::DeviceClock* clock() const { return s_.clock(); }
  T* block(int which) const { return which == 0 ? const_cast<T*>(s_.data()) : rooms_[which - 1].data(); }

  void clear() const { Kokkos::deep_copy(s_.exec, sums_, ExactSum{0, 0}); }
  void add(const T* block) const {
    if (s_.p.n == 0) return;
    const RingSink<T> sink{sums_.data(), split_.chunks > 1 ? partial_.data() : nullptr, s_.p.n};
    Kokkos::parallel_for("parity::kde::ring",
                         typename RingTeam<T>::Policy(s_.exec, split_.tiles * split_.chunks, threads)
                             .set_scratch_size(0, Kokkos::PerTeam(chunk_request<T, typename Tile::Term>)),
                         RingTeam<T>{s_.data(), block, typename Tile::Term(s_.p.bandwidth), split_, sink});
    if (split_.chunks > 1)
      Kokkos::parallel_for("parity::kde::second_pass", queries(),
                           SecondPass<RingSink<T>>{sink, split_.chunks});
  }
  void finish(double norm) const {
    Kokkos::parallel_for("parity::kde::ring_density", queries(),
                         RingDensity<T>{sums_.data(), s_.density(), norm});
  }

 private:
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> queries() const { return {s_.exec, 0, s_.p.n}; }

  Samples<T> s_;
  Split split_;
  Array<T> rooms_[2];
  Array<ExactSum> sums_, partial_;
};

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  e.launches = compat::exec_is_device() ? 4 : 3;
  if (!compat::exec_is_device()) e.operations = 22;
  e.extra_bytes = [](const Problem& p) { return ring_bytes(p) + 2 * partial_bytes(own_part(p)); };
  e.make_f32 = Entry::made<float, Ring<float, RingPart<float>>>;
  e.make_f64 = Entry::made<double, Ring<double, RingPart<double>>>;
  return e;
}

}  // namespace parity::kde::ring

// SPDX-License-Identifier: BSD-3-Clause
// symmetric, Kokkos: one team per strip of tile pairs adds into a ScatterView (atomic on a GPU, one copy per
// thread on a host).
#include "algorithm.hpp"
#include "backend/kokkos/kde/samples.hpp"
// Included after kokkos_compat.hpp: Kokkos 5.2 does not compile if this header precedes its graphs.
#include <Kokkos_ScatterView.hpp>

namespace parity::kde::symmetric {
namespace {

using Scatter = Kokkos::Experimental::ScatterView<compat::AtomicSum*,
                                                  typename Array<compat::AtomicSum>::array_layout, Exec>;

/// block: at.threads, a power of two and at least a quarter of a tile.
template <int R, class Term, int block>
struct SymmetricFunctor {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;
  const float* samples;
  Term term;
  Strips at;
  Scatter sums;
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    auto* const stage = scratch_of<Pack<float>>(team, 2 * block * sizeof(Pack<float>));
    auto* const others = stage + block;
    const int tile = team.league_rank() % at.tiles, strip = team.league_rank() / at.tiles,
              thread = team.team_rank(), threads = at.threads;
    const auto access = sums.access();
    const auto add = [&access](std::int64_t place, double sum) {
      access(std::size_t(place)) += static_cast<compat::AtomicSum>(to_fixed(sum));
    };
    float q[R];
    double total[R];
    PARITY_LANES
    for (int r = 0; r < R; ++r) {
      q[r] = samples[std::int64_t(tile) * at.tile_size + r * threads + thread];
      total[r] = 0;
    }
    for (int offset = at.first(strip); offset < at.last(strip); ++offset) {
      if (!at.meets(tile, offset)) continue;
      const int other = tile + offset < at.tiles ? tile + offset : tile + offset - at.tiles;
      const std::int64_t from = std::int64_t(other) * at.tile_size;
      for (int first = 0; first < at.tile_size / pack_width; first += threads) {
        team.team_barrier();
        stage[thread] = reinterpret_cast<const Pack<float>*>(samples + from)[first + thread];
        others[thread] = Pack<float>{};
        team.team_barrier();
        // Both float sums stay short: a thread's is flushed after 256 terms, the mirrored one adds R at once.
        const int run = threads < flush_packs ? threads : flush_packs;
        for (int begin = 0; begin < threads; begin += run) {
          float sum[R];
          PARITY_LANES
          for (int r = 0; r < R; ++r) sum[r] = 0;
          PARITY_UNROLL_BY(1)
          for (int step = begin; step < begin + run; ++step) {
            const int place = (thread + step) & (threads - 1);
            const Pack<float> x = stage[place];
            Pack<float> mirrored = others[place];
            float part[R];
            PARITY_UNROLL
            for (int e = 0; e < pack_width; ++e) {
              float v[R], column = 0;
              PARITY_LANES
              for (int r = 0; r < R; ++r) {
                v[r] = term.value(r * pack_width + e, q[r], x.value[e]);
                part[r] = e == 0 ? v[r] : part[r] + v[r];
              }
              PARITY_LANES_SUM(column)
              for (int r = 0; r < R; ++r) column += v[r];
              mirrored.value[e] += column;
            }
            PARITY_LANES
            for (int r = 0; r < R; ++r) sum[r] += part[r];
            others[place] = mirrored;
            team.team_barrier();
          }
          PARITY_LANES
          for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
        }
        // A tile meets itself in full: the mirrored half is already in its sums.
        if (offset == 0) continue;
        PARITY_UNROLL
        for (int e = 0; e < pack_width; ++e)
          add(from + (first + thread) * pack_width + e, double(others[thread].value[e]));
      }
    }
    PARITY_UNROLL
    for (int r = 0; r < R; ++r) add(std::int64_t(tile) * at.tile_size + r * threads + thread, total[r]);
  }
};

struct FromFixedFunctor {
  const compat::AtomicSum* sums;
  float* density;
  double norm;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    density[i] = float(double(static_cast<std::int64_t>(sums[i])) * norm);
  }
};

template <int R, class Term, int threads>
struct SymmetricSum {
  using Functor = SymmetricFunctor<R, Term, threads>;
  Samples<float> s;
  Strips strips;
  Array<compat::AtomicSum> sums;
  Scatter scatter;
  SymmetricSum(const Problem& p, const Tuning& t)
      : s(p, symmetric_count(p.n, threads, R)),
        strips(strips_for(s.size(), threads, R, t[1])),
        sums("sums", std::size_t(s.size())),
        scatter(sums) {}
  void operator()() {
    Kokkos::deep_copy(s.exec, sums, compat::AtomicSum(0));
    scatter.reset_except(s.exec, sums);
    Kokkos::parallel_for(
        "parity::kde::symmetric",
        typename Functor::Policy(s.exec, strips.tiles * strips.strips, threads)
            .set_scratch_size(0, Kokkos::PerTeam(int(2 * threads * sizeof(Pack<float>) + 16))),
        Functor{s.data(), Term(s.p.bandwidth), strips, scatter});
    scatter.contribute_into(s.exec, sums);
    Kokkos::parallel_for("parity::kde::from_fixed",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n),
                         FromFixedFunctor{sums.data(), s.density(), s.p.norm() / fixed_one});
  }
};

template <class Term>
std::unique_ptr<Variant<float>> make_symmetric(const Problem& p, const Tuning& t) {
  if constexpr (compat::exec_is_device())
    return t[0] == 4 ? make_sum<float, SymmetricSum<4, Term, 128>>(p, t)
                     : make_sum<float, SymmetricSum<8, Term, 128>>(p, t);
  else
    return make_sum<float, SymmetricSum<64, Term, 1>>(p, t);
}

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  if (compat::exec_is_device()) {
    e = on_device(e);
  } else {
    e.tuning_axes = "queries of a thread x tiles of a strip";
    e.tunings = {"64x16", "64x64"};
    e.refuse += [](const Problem&, const Tuning& t) -> std::optional<std::string> {
      if (t[0] != 64) return "a thread takes 64 queries";
      return std::nullopt;
    };
  }
  e.launches = 3;
  e.extra_bytes = [](const Problem& p) {
    const double copies = compat::exec_is_device() ? 1 : 1 + double(compat::concurrency(Exec()));
    return 8.0 * copies * (double(p.n) + 4096);
  };
  e.make_f32 = [](const Problem& p, const Tuning& t) {
    return t.values.size() > 2 ? make_symmetric<MixedTerm<2>>(p, t)
                               : make_symmetric<HardwareTerm<float>>(p, t);
  };
  return e;
}

}  // namespace parity::kde::symmetric

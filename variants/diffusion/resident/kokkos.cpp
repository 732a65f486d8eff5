// SPDX-License-Identifier: BSD-3-Clause
// resident, Kokkos: planes are shared by teams that are all at work at the same time, a strip of rows in the
// registers of each; rows of a seam go from thread to thread through memory, a few steps' at a time.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/whole.hpp"
#include "runtime/counted_words.hpp"
#include "runtime/kokkos/grid_barrier.hpp"
#include "runtime/kokkos/scratch.hpp"
#include "runtime/share.hpp"
#include "strip_plan.hpp"
#include "swept_tile.hpp"

namespace parity::diffusion::resident {
namespace {

using runtime::EvenShare;

template <class T>
struct StripConfigs {
  static constexpr StripConfig all[5] = {
      {16, 4, 256, 1}, {10, 4, 256, 1}, {8, 4, 256, 1}, {10, 8, 256, 1}, {9, 16, 128, 2}};
};
template <>
struct StripConfigs<double> {
  static constexpr StripConfig all[4] = {{16, 4, 256, 1}, {10, 4, 256, 1}, {8, 4, 256, 1}, {8, 8, 128, 2}};
};

/// All steps of all planes, those at work at a time after each other. A team has a strip of rows in the
/// registers of its threads, and beside it the rows of its neighbours ('margin') that the next few steps
/// reach. It computes those along, and every 'period' steps takes them afresh. n: of the configurations.
/// deferred: DeferredScale, for alpha = 1/32. ragged: rows need not divide into 'columns'.
template <class T, int n, bool deferred, bool ragged>
struct AdvanceStrips {
  static constexpr StripConfig form = StripConfigs<T>::all[n];
  using Tile = SweptTile<T, form.rows, form.columns>;
  using Part = typename Tile::Part;
  using Word = runtime::CountedWord;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(form.threads), unsigned(form.teams)>>;
  static constexpr int rows = form.rows, columns = form.columns;
  static constexpr int words_a_value = runtime::counted_words<T>, words_a_row = columns * words_a_value;
  /// From one word of a lane to its next, and from one row to the next.
  static constexpr int lane_words = 32, row_words = words_a_row * lane_words;
  /// Rows that are waited for at a time: words on their way keep registers busy.
  static constexpr int words_at_once = rows * words_a_row <= 96 ? 32 : 16,
                       rows_at_once = words_a_row >= words_at_once ? 1 : words_at_once / words_a_row;

  StripCut cut;
  const T* in;
  T* out;  ///< another field
  T alpha;
  Word* handed;
  std::uint32_t passed;  ///< exchanges before this launch

  /// What a thread has of its strip.
  struct Place {
    int group, team;    ///< of those at work, and of the plane
    int first, size;    ///< rows of the strip
    int row;            ///< of the strip, the thread's first in the order of its sweep
    int step;           ///< from one row to the next, and from one column to the next
    int column, width;  ///< of its points
    PARITY_INLINE Place(const StripCut& cut, const TilePlace& at, int rank)
        : group(rank / cut.teams), team(rank - group * cut.teams), step(at.ring % 2 == 1 ? -1 : 1) {
      const EvenShare own(team, cut.ny, cut.teams), columns_here(at.lane, cut.nx, cut.lanes);
      first = own.first, size = own.size;
      row = at.ring * rows - cut.below + (step < 0 ? rows - 1 : 0);
      column = columns_here.first, width = columns_here.size;
    }
    PARITY_INLINE int lowest_row() const { return step < 0 ? row - (rows - 1) : row; }
  };
  /// Where the rows of a side are: a lane's own words, from its first column's on.
  struct Sides {
    Word *below, *above;
    int first_above, margin;  ///< row of the strip that is the upper side's first; the lower one's is 0
    /// Whether a row belongs to one, and where it is. Others get a place that can be read.
    PARITY_INLINE bool has(int row, Word*& words) const {
      const bool is_above = row >= first_above;
      const int of_side = is_above ? row - first_above : row;
      const bool wanted = unsigned(of_side) < unsigned(margin);
      words = (is_above ? above : below) + (wanted ? of_side : 0) * row_words;
      return wanted;
    }
  };
  PARITY_INLINE static int edge_bytes(const StripCut& cut) {
    return cut.buffers * Tile::edge_parts(cut.lanes, cut.rings) * int(sizeof(Part));
  }

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    using Scaled = DeferredScale<T>;
    const TilePlace at(team.team_rank(), cut.lanes, cut.rings);
    Part* const shared = compat::scratch_of<Part>(team, std::size_t(edge_bytes(cut)));
    const typename Tile::Edges edges(at, shared, cut.buffers == 2);
    const Place place(cut, at, team.league_rank());
    const auto barrier = [&] { team.team_barrier(); };
    const EvenShare west(at.lane > 0 ? at.lane - 1 : at.lanes - 1, cut.nx, cut.lanes);
    const SweptRing<ragged> ring(at, place.width < columns, west.size < columns);
    std::uint32_t exchange = passed;
    for (int plane = place.group; plane < cut.nz; plane += cut.planes) {
      const std::size_t offset = std::size_t(plane) * cut.ny * cut.nx;
      Tile t;
      load(t, in + offset, place);
      t.begin(at, edges, barrier);
      int left = cut.period;
      PARITY_UNROLL_BY(1)
      for (int s = 0; s < cut.steps; ++s) {
        if (deferred && s % Scaled::steps == Scaled::steps - 1)
          t.template step<deferred, deferred>(at, ring, alpha, edges, s, barrier);
        else
          t.template step<deferred, false>(at, ring, alpha, edges, s, barrier);
        if (--left == 0) {
          left = cut.period;
          ++exchange;
          if (at.active && cut.margin() > 0) swap(t, place, at.lane, exchange);
        }
        t.finish(at, edges, s, barrier);
      }
      if (deferred) t.scale(Scaled::factor(cut.steps % Scaled::steps));
      if (at.active) store(t, out + offset, place);
      if (plane + cut.planes < cut.nz) barrier();
    }
  }

  /// Hands the strip's outer rows on, and takes those of its neighbours: the rows before its first ('side' 0)
  /// and those after its last. Words of an exchange and of the one before lie apart: who has those of this
  /// one knows that the neighbour has read what was there before. The code is short, because it takes its
  /// place among a step's instructions.
  PARITY_INLINE void swap(Tile& t, const Place& place, int lane, std::uint32_t count) const {
    const int below = place.team > 0 ? place.team - 1 : cut.teams - 1,
              above = place.team + 1 < cut.teams ? place.team + 1 : 0, margin = cut.margin();
    const std::ptrdiff_t side = std::ptrdiff_t(margin) * row_words;
    Word* const slot =
        handed + (std::ptrdiff_t(count & 1) * cut.planes + place.group) * cut.teams * 2 * side + lane;
    const int lowest = place.lowest_row(), end = lowest + rows;
    if ((lowest < margin && end > 0) || (lowest < place.size && end > place.size - margin))
      send(t, place,
           Sides{slot + (2 * below + 1) * side, slot + 2 * above * side, place.size - margin, margin}, count);
    if ((lowest < 0 && end > -margin) || (lowest < place.size + margin && end > place.size))
      receive(t, place,
              Sides{slot + 2 * place.team * side, slot + (2 * place.team + 1) * side, place.size + margin,
                    margin},
              count);
  }
  PARITY_INLINE void send(const Tile& t, const Place& place, const Sides& sides, std::uint32_t count) const {
    const bool turned = place.step < 0;
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      Word* words;
      if (!sides.has(place.row + place.step * r, words)) continue;
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) {
        // Values: of a choice between elements the compiler would make one between addresses.
        const T value = t.v[r][i], other = t.v[r][columns - 1 - i];
        runtime::put_counted(words + i * words_a_value * lane_words, lane_words, turned ? other : value,
                             count);
      }
    }
  }
  /// Rows of the lower side are numbered from 'margin' below the strip's first.
  PARITY_INLINE void receive(Tile& t, const Place& place, const Sides& sides, std::uint32_t count) const {
    PARITY_UNROLL
    for (int r0 = 0; r0 < rows; r0 += rows_at_once)
      while (!received(t, place, sides, r0, count)) {
      }
  }
  /// Whether rows_at_once rows were there, from the thread's r0 on. Those that belong to no side are left:
  /// without a branch all loads are on their way at once.
  PARITY_INLINE bool received(Tile& t, const Place& place, const Sides& sides, int r0,
                              std::uint32_t count) const {
    const bool turned = place.step < 0;
    bool all = true;
    PARITY_UNROLL
    for (int r = r0; r < r0 + rows_at_once && r < rows; ++r) {
      Word* words;
      const bool wanted = sides.has(place.row + sides.margin + place.step * r, words);
      T row[columns];
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) {
        const bool there =
            runtime::get_counted(words + i * words_a_value * lane_words, lane_words, row[i], count);
        all &= there | !wanted;
      }
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) {
        const T value = row[i], other = row[columns - 1 - i], before = t.v[r][i];
        t.v[r][i] = !wanted ? before : turned ? other : value;
      }
    }
    return all;
  }

  PARITY_INLINE void load(Tile& t, const T* plane, const Place& place) const {
    int j = (place.first + place.row) % cut.ny;
    if (j < 0) j += cut.ny;
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) {
        const int at = place.column + (place.step < 0 ? columns - 1 - i : i);
        t.v[r][i] = plane[std::size_t(j) * cut.nx + (at < cut.nx ? at : at - cut.nx)];
      }
      j += place.step;
      j = j < 0 ? cut.ny - 1 : j < cut.ny ? j : 0;
    }
  }
  PARITY_INLINE void store(const Tile& t, T* plane, const Place& place) const {
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int row = place.row + place.step * r;
      if (unsigned(row) >= unsigned(place.size)) continue;
      T* const to = plane + std::size_t(place.first + row) * cut.nx + place.column;
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) {
        const int at = place.step < 0 ? columns - 1 - i : i;
        if (at < place.width) to[at] = t.v[r][i];
      }
    }
  }
};

StripRoom strip_room() {
  const Exec exec;
  return {compat::multiprocessors(exec), std::int64_t(TeamPolicy(1, 1).scratch_size_max(0)),
          compat::shared_memory_of_multiprocessor(exec)};
}

/// Calls use(number) for the form of a plan; does nothing if it has none.
template <class T, class F, int... n>
void with_form(const StripPlan& plan, const F& use, std::integer_sequence<int, n...>) {
  ((n == plan.form ? use(std::integral_constant<int, n>()) : void()), ...);
}
template <class T, class F>
void with_form(const StripPlan& plan, const F& use) {
  with_form<T>(plan, use, std::make_integer_sequence<int, int(std::size(StripConfigs<T>::all))>());
}

template <class T>
StripPlan strips_of(const Problem& p, const Tuning& t) {
  return best_strips(StripConfigs<T>::all, int(sizeof(T)), p, t[0], strip_room());
}
StripPlan strips_of(const Problem& p, const Tuning& t) {
  return p.precision == Precision::f32 ? strips_of<float>(p, t) : strips_of<double>(p, t);
}

/// True if a form defers scaling. Rows that do not divide have no such kernel: each takes minutes to compile.
bool defers_scaling(const Problem& p, const StripConfig& form) { return p.nx % form.columns == 0; }

template <class T>
struct TeamResident {
  Fields<T> f;
  StripPlan plan;
  Kokkos::View<runtime::CountedWord*, Exec> handed;
  mutable std::uint32_t passed = 0;
  TeamResident(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), plan(strips_of<T>(p, t)) {
    if (plan.form < 0) return;
    const int words = StripConfigs<T>::all[plan.form].columns * runtime::counted_words<T>;
    handed =
        Kokkos::View<runtime::CountedWord*, Exec>("rows on their way", std::size_t(plan.cut.words(words)));
  }
  int operator()() const {
    with_form<T>(plan, [&](auto number) {
      if constexpr (teams_on_device) {
        constexpr int n = decltype(number)::value;
        if (f.p.alpha == DeferredScale<T>::alpha && defers_scaling(f.p, StripConfigs<T>::all[n]))
          launch<AdvanceStrips<T, n, true, false>>();
        else
          launch<AdvanceStrips<T, n, false, true>>();
      }
    });
    passed += std::uint32_t(plan.cut.batches()) * std::uint32_t(plan.cut.exchanges());
    return 1;
  }
  template <class Advance>
  void launch() const {
    const StripCut& cut = plan.cut;
    typename Advance::Policy policy(f.exec, cut.planes * cut.teams, plan.threads, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(Advance::edge_bytes(cut) + 16));
    Kokkos::parallel_for("parity::diffusion::team_resident", policy,
                         Advance{cut, f[0].data(), f[1].data(), T(f.p.alpha), handed.data(), passed});
  }
};

}  // namespace
}  // namespace parity::diffusion::resident

namespace parity::diffusion::resident {

Entry kokkos() {
  using namespace resident;
  Entry e = kokkos_entry({"4", "2", "1", "8"}, {"4"}, "steps from one exchange to the next");
  if (!compat::exec_is_device())
    e.unavailable = "its planes are in the registers of a GPU's threads, and this Kokkos runs on the host";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto reason = refuse_many_points(p, t)) return reason;
    if (strips_of(p, t).form >= 0) return std::nullopt;
    return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
           " points cannot be shared out among teams that this device holds at the same time, " +
           std::to_string(t[0]) + " steps an exchange";
  };
  // Its teams wait for each other without a cooperative launch: beside another program on the GPU for ever.
  e.by_name_only = true;
  e.model = [](const Problem& p, const Tuning& t) {
    const int form = strips_of(p, t).form;
    if (form < 0) return cost(p, false);
    return cost(p, defers_scaling(p, p.precision == Precision::f32 ? StripConfigs<float>::all[form]
                                                                   : StripConfigs<double>::all[form]));
  };
  return with_run<TeamResident>(e);
}

}  // namespace parity::diffusion::resident

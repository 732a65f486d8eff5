// SPDX-License-Identifier: BSD-3-Clause
// temporal, Kokkos, tuned: several steps in each pass over planes of any size, on every GPU with shuffles.
// The kernel of staggered_stream.hpp takes rows that fill packs of 16 bytes, if a team has scratch for it.
// This one takes the others, parts of ranks, and the remaining steps: 8 a pass.
//
// A tile is 32 x columns points wide and streams down y. The four warps of a team, its links, follow each
// other in time: each makes two steps of a row and hands the row to the next link through scratch, where a
// boundary between two links has two slots of a row. In a tick, every link reads the slot before it and
// writes the one behind it, all threads load the first link's next row and store the last link's row, and the
// team has one barrier. Tiles overlap by two columns a step on either side, chunks of rows by two rows. Teams
// are persistent, two per multiprocessor: the rows of the next tile follow those of the last without a pause.
// Teams never wait for each other. The loop over ticks is unrolled by the period in which registers rotate.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "lane_pipeline.hpp"
#include "runtime/kokkos/team_hints.hpp"
#include "runtime/messages.hpp"
#include "staggered_stream.hpp"

namespace parity::diffusion::temporal {
namespace {

/// The kernel of a pass. S: steps per warp. links_: active links, 0: cut.links. packed: rows are moved in
/// packs of 16 bytes, else by elements. deferred: DeferredScale, for alpha = 1/32. scales: rows are
/// multiplied by 'factor', which includes earlier passes' factors, as they leave.
template <class T, int S, int links_, bool packed, bool deferred, bool scales>
struct StreamTeams {
  /// An odd number of words or double words between lanes, so that lanes have no bank conflicts.
  static constexpr int columns = sizeof(T) == 4 ? 17 : 9;
  static constexpr int warps = 4, threads = 32 * warps, teams = 2, width = 32 * columns;
  static constexpr int steps_of_link = S, most_steps = 2 * warps, overlap = 2 * most_steps,
                       useful = width - 2 * overlap;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, teams>>;
  using Pipeline = LanePipeline<T, columns, S, deferred>;
  static constexpr int ticks = Pipeline::held, period = ticks;  ///< ticks and rows per unrolled iteration
  /// Elements per access, accesses per thread, and remaining columns, one per thread.
  static constexpr int pack = packed ? 16 / int(sizeof(T)) : 1, accesses = width / (threads * pack),
                       beside = width - accesses * threads * pack;
  static_assert(beside == 32 && accesses * threads * pack == useful, "the last link's threads store a row");
  static constexpr int boundary = 2 * width;
  static constexpr int scratch_bytes =
      (warps + 1) * boundary * int(sizeof(T)) + 2 * int(sizeof(StreamItem)) + 16;
  static constexpr int line = 128 / int(sizeof(T)), lines = width / line + 2;  ///< at most, per row
  static_assert(lines * period <= threads, "a thread prefetches a line in a period");
  struct alignas(pack * sizeof(T)) Packed {
    T v[pack];
  };

  const T* in;
  T* out;
  StreamCut cut;
  T alpha, factor;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int thread = team.team_rank(), lane = thread % 32, link = thread / 32,
              links = links_ > 0 ? links_ : cut.links, steps = S * links;
    int items = (cut.items - 1 - team.league_rank()) / cut.league + 1;  // not yet begun
    const int plane = cut.ny * cut.pitch;

    // Boundary b is before link b; the last boundary is behind the last link.
    T* const scratch = compat::scratch_of<T>(team, scratch_bytes - 16);
    T* const mine = scratch + link * boundary + lane * columns;
    T* const put = scratch + thread * pack;
    const T* const get = scratch + links * boundary + overlap + thread * pack;
    // Thread 0 describes the next item in scratch while the team processes the current one.
    StreamItem* const items_here = reinterpret_cast<StreamItem*>(scratch + (warps + 1) * boundary);
    if (thread == 0) items_here[items % 2] = item_of<StreamTeams>(cut, team.league_rank(), steps);
    compat::team_barrier(team);

    const int lag = 1 + links;  // ticks from a row's load to its store
    int periods = (items - 1) * cut.periods + (cut.chunk + 4 * steps + lag + period - 1) / period;
    int left = 0;  // periods until the next item's rows follow
    const T* from = in;
    int at = 0, soon = 0;      // offsets in the plane of the row that is loaded, and of the one prefetched
    int other[accesses] = {};  // columns from the first access to the others; [0]: to the remaining column
    T* to = out;
    int done = 0, rows_wanted = 0, columns_wanted = 0, slot = 0;
    Pipeline pipeline;
    pipeline.clear();
    PARITY_UNROLL_BY(1)
    for (; periods > 0; --periods) {
      PARITY_UNROLL
      for (int u = 0; u < period; ++u) {
        if (u == 0) {
          if (left == 0 && items > 0) {  // the next item's rows follow
            const StreamItem& item = items_here[items % 2];
            const int first = wrapped(item.x + thread * pack, cut.nx), column = thread % lines * line;
            from = in + item.plane;
            at = item.y * cut.pitch + first;
            PARITY_UNROLL
            for (int a = 0; a < accesses; ++a)
              other[a] =
                  wrapped(item.x + (a > 0 ? (a * threads + thread) * pack : useful + thread), cut.nx) - first;
            soon = wrapped(item.y + cut.ahead + thread / lines, cut.ny) * cut.pitch +
                   wrapped(item.x + (column < width ? column : width - 1), cut.nx);
            left = cut.periods;
            --items;
          }
          --left;
        }
        if (u == lag % period && left == cut.periods - 1 - lag / period) {  // its finished rows follow
          const StreamItem& item = items_here[(items + 1) % 2];
          to = out + item.out + thread * pack;
          done = -4 * steps;
          columns_wanted = item.columns - thread * pack;
          rows_wanted = columns_wanted > 0 ? item.rows : 0;
          if (thread == 0 && items > 0) {
            const int last = cut.items - 1 - (cut.items - 1 - team.league_rank()) % cut.league;
            items_here[items % 2] = item_of<StreamTeams>(cut, last - (items - 1) * cut.league, steps);
          }
        }

        // Load the first link's next row now, and store it to scratch at the tick's end.
        Packed loaded[accesses];
        T loaded_beside = T(0);
        if (thread < beside) loaded_beside = from[at + other[0]];
        PARITY_UNROLL
        for (int a = 0; a < accesses; ++a)
          loaded[a] = *reinterpret_cast<const Packed*>(from + at + (a > 0 ? other[a] : 0));
        at = wrapped_once(at + cut.pitch, plane);
        if (u == 1) {
          if (thread < lines * period) compat::prefetch(from + soon);
          soon = wrapped_once(soon + cut.ahead_step, plane);
        }

        // Store the row that the last link finished in the tick before.
        if (unsigned(done) < unsigned(rows_wanted)) {
          PARITY_UNROLL
          for (int a = 0; a < accesses; ++a) {
            Packed finished = *reinterpret_cast<const Packed*>(get + slot + a * threads * pack);
            if (scales) {
              PARITY_UNROLL
              for (int e = 0; e < pack; ++e) finished.v[e] *= factor;
            }
            if (accesses == 1 || a * threads * pack < columns_wanted)
              *reinterpret_cast<Packed*>(to + a * threads * pack) = finished;
          }
        }
        ++done;
        to += cut.pitch;

        const int next = width - slot;
        if (links_ == warps || link < links) {
          const int newest = Pipeline::newest_of(u);
          PARITY_UNROLL
          for (int i = 0; i < columns; ++i) pipeline.arriving(newest)[i] = mine[slot + i];
          PARITY_UNROLL
          for (int s = 0; s < S; ++s) pipeline.step(s, newest, alpha);
          PARITY_UNROLL
          for (int i = 0; i < columns; ++i) mine[boundary + next + i] = pipeline.finished(newest)[i];
        }
        PARITY_UNROLL
        for (int a = 0; a < accesses; ++a)
          *reinterpret_cast<Packed*>(put + next + a * threads * pack) = loaded[a];
        if (thread < beside) scratch[next + useful + thread] = loaded_beside;
        slot = next;
        compat::team_barrier(team);
      }
    }
  }
};

/// Launches a kernel that takes the box of all planes through 'steps' steps.
template <class Kernel, class T>
void launch_stream(const Exec& exec, StreamCut cut, int nz, int spare, int steps, const T* in, T* out,
                   double alpha, double factor) {
  cut.tiles = (cut.columns + Kernel::useful - 1) / Kernel::useful;
  const RowChunks chunks = chunks_of<Kernel>(exec, cut, nz, spare, steps);
  cut.chunk = chunks.rows, cut.chunks = chunks.count, cut.periods = chunks.periods;
  cut.items = cut.tiles * cut.chunks * nz;
  cut.league = std::min(cut.items, (compat::multiprocessors(exec) - spare) * Kernel::teams);
  cut.ahead_step = Kernel::ticks % cut.ny * cut.pitch;
  typename Kernel::Policy policy(exec, cut.league, Kernel::threads, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes));
  Kokkos::parallel_for("parity::diffusion::temporal_tuned", policy,
                       Kernel{in, out, cut, T(alpha), T(factor)});
}

/// Passes over a part of planes, see temporal_tuned_pass. staggers: uses StaggeredStream if it is faster and
/// can run.
template <class T>
class StreamPasses {
 public:
  using Whole = StreamTeams<T, 2, 4, true, true, false>;
  using Staggered = StaggeredStream<T, true, false>;
  StreamPasses(const Exec& exec, const Problem& part, const Margin& around, bool staggers, int spare)
      : exec_(exec), p_(part), spare_(spare) {
    cut_.nx = cut_.pitch = int(part.nx + 2 * around.x), cut_.ny = int(part.ny + 2 * around.y);
    cut_.plane = std::ptrdiff_t(cut_.ny) * cut_.pitch;
    cut_.x = int(around.x), cut_.y = int(around.y), cut_.columns = int(part.nx), cut_.rows = int(part.ny);
    cut_.ahead = 3;
    packed_ = cut_.nx * sizeof(T) % 16 == 0 && cut_.x * sizeof(T) % 16 == 0;
    // All ranks or none defer factors, because neighbours read each other's points.
    if (around.x > 0) packed_ = runtime::smallest(packed_) > 0;
    // By measurement, its rows take 0.85 (float) or 0.9 (double) of the time of the other kernel's.
    staggers_ = staggers && packed_ && cut_.ny >= Staggered::rows && team_has_scratch<Staggered>() &&
                (sizeof(T) == 4 ? 0.85 : 0.9) * rows_a_step<Staggered>() <= rows_a_step<Whole>();
  }
  /// Steps per pass, except the last passes.
  int most_steps() const { return staggers_ ? Staggered::steps : Whole::most_steps; }
  std::int64_t count() const {
    return p_.steps / most_steps() + EvenPasses(p_.steps % most_steps(), Whole::most_steps).count();
  }
  int operator()(int left, const T* in, T* out) {
    if (left == p_.steps) factors_ = {};
    const int steps = left >= most_steps()        ? most_steps()
                      : left >= Whole::most_steps ? Whole::most_steps
                      : left >= 2                 ? left / 2 * 2
                                                  : 1;
    const bool staggered = staggers_ && steps == Staggered::steps;
    if (steps == 1) {
      pass<StreamTeams<T, 1, 1, false, false, false>>(steps, in, out);
    } else if (steps < Whole::most_steps) {
      pass<StreamTeams<T, 2, 0, false, false, false>>(steps, in, out);
    } else if (!packed_) {
      pass<StreamTeams<T, 2, 4, false, false, false>>(steps, in, out);
    } else if (p_.alpha != DeferredScale<T>::alpha) {
      staggered ? pass<StaggeredStream<T, false, false>>(steps, in, out)
                : pass<StreamTeams<T, 2, 4, true, false, false>>(steps, in, out);
    } else {
      const double factor = factors_.factor_after(steps, left < 2 * steps);
      if (staggered)
        factor == 1 ? pass<Staggered>(steps, in, out)
                    : pass<StaggeredStream<T, true, true>>(steps, in, out, factor);
      else
        factor == 1 ? pass<Whole>(steps, in, out)
                    : pass<StreamTeams<T, 2, 4, true, true, true>>(steps, in, out, factor);
    }
    return steps;
  }

 private:
  template <class Kernel>
  double rows_a_step() const {
    return chunks_of<Kernel>(exec_, cut_, int(p_.nz), spare_, Kernel::most_steps).queue / Kernel::most_steps;
  }
  template <class Kernel>
  static bool team_has_scratch() {
    return Kernel::scratch_bytes <=
           compat::scratch_of_launch(std::int64_t(TeamPolicy(1, 1).scratch_size_max(0)), Kernel::threads);
  }
  template <class Kernel>
  void pass(int steps, const T* in, T* out, double factor = 1) {
    cut_.links = steps / Kernel::steps_of_link;
    if constexpr (teams_on_device)
      launch_stream<Kernel>(exec_, cut_, int(p_.nz), spare_, steps, in, out, p_.alpha, factor);
  }

  Exec exec_;
  Problem p_;
  int spare_;
  StreamCut cut_{};
  bool packed_ = false, staggers_ = false;
  DeferredFactors<T> factors_;
};

template <class T>
StreamPasses<T> passes_of(const Exec& exec, const Problem& p, const Tuning& t) {
  return {exec, p, 0, t[0] == 2, 0};
}

template <class T>
struct StreamTemporal {
  Fields<T> f;
  mutable StreamPasses<T> passes;
  StreamTemporal(const Problem& p, const Tuning& t)
      : f(Fields<T>::periodic(p)), passes(passes_of<T>(f.exec, p, t)) {}
  int operator()() const {
    int at = 0;
    for (int left = int(f.p.steps); left > 0; at = 1 - at)
      left -= passes(left, f[at].data(), f[1 - at].data());
    return at;
  }
};

}  // namespace
}  // namespace parity::diffusion::temporal

namespace parity::diffusion {

template <class T>
PassOf<T> temporal_tuned_pass(const Problem& part, const Margin& around, const Exec& exec, int spare) {
  return temporal::StreamPasses<T>(exec, part, around, false, spare);
}
template PassOf<float> temporal_tuned_pass(const Problem&, const Margin&, const Exec&, int);
template PassOf<double> temporal_tuned_pass(const Problem&, const Margin&, const Exec&, int);

}  // namespace parity::diffusion

namespace parity::diffusion::temporal {

Entry kokkos_tuned() {
  Entry e = kokkos_entry({"2", "1"}, {"2"}, "ticks in which a link does its two steps of a row, at most");
  if (!compat::exec_is_device())
    e.unavailable =
        "its rows are in the registers of a GPU's threads, and this Kokkos runs on the host: take "
        "kokkos-temporal";
  e.refuse = [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (p.nx * p.ny >= 1 << 30) return "a plane of 2^30 points or more: its offsets have 32 bits";
    if (p.nz * (p.nx / 256 + 1) > (1 << 30) / 64) return "more tiles than its 32-bit count of them";
    return std::nullopt;
  };
  e.model = [](const Problem& p, const Tuning& t) {
    const Exec exec;
    return cost_of_passes(p,
                          p.precision == Precision::f32 ? passes_of<float>(exec, p, t).count()
                                                        : passes_of<double>(exec, p, t).count(),
                          1, flops_by_pairs(p));
  };
  return with_run<StreamTemporal>(e);
}

}  // namespace parity::diffusion::temporal

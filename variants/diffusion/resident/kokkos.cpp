// SPDX-License-Identifier: BSD-3-Clause
// resident, Kokkos: keeps planes in the registers of teams over all steps: small planes one per team, larger
// ones shared by several teams, which are all resident at once.
//
// A group of 32 or 16 lanes owns 'rows' full rows, of which each lane has 'columns' columns; shuffles round
// the group are the periodic wrap in x. Groups form a ring over the plane, team after team. Even groups
// number their rows downwards, odd ones upwards, so that two neighbours either both start a sweep at their
// seam ('early') or both end it there ('late'); seams between teams are early ones. The first two rows cross
// an early seam, within a team through scratch, to another team through a mailbox in memory. They are final
// when the sweep reaches its second and third row, and have most of a sweep to arrive. Both sides compute the
// Laplacian beyond the seam. Late seams: see Late.
//
// late_seams.hpp has the kernel of planes of 128 columns that at least two teams can share, swapped_slots.hpp
// that of larger planes that fill teams of eight warps.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "late_seams.hpp"
#include "mailbox.hpp"
#include "plane_share.hpp"
#include "row_sweep.hpp"
#include "runtime/kokkos/team_hints.hpp"
#include "runtime/share.hpp"
#include "swapped_slots.hpp"

namespace parity::diffusion::resident {
namespace {

using runtime::EvenShare;
using runtime::from_lane;

enum Kind { deferring, plain, any_plane };
constexpr ResidentForm form_of(const ResidentForm& f, Kind kind) {
  return kind == deferring ? f : kind == plain ? f.plain() : f.any_plane();
}

/// Runs all steps of all planes. There is one copy of the step: a deferred scale is applied between two
/// steps, to the received rows in registers, too. What scratch holds for the next barrier is written again,
/// or its weight takes the factor.
template <class T, int n, Kind kind>
struct ResidentPlanes {
  static constexpr ResidentForm form = form_of(ResidentForms<T>::all[n], kind);
  static constexpr int R = form.rows, C = form.columns, L = form.lanes, hand = form.hand;
  static constexpr bool shared = form.shared, deferred = form.deferred, ragged = form.ragged;
  static constexpr Late late = form.late;
  static_assert(R % 2 == 0 && form.warps % 2 == 0 && (L == 32 || !shared), "groups pair up");
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<32 * form.warps, form.teams>>;
  using Row = PackedRow<T, C>;
  using Box = Mailbox<T, C, form.turns>;
  using Word = typename Box::Word;
  using Scaled = DeferredScale<T>;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    T* const scratch = compat::scratch_of<T>(team, scratch_bytes);
    const int lane = team.team_rank() % L,
              g = L == 32 ? from_lane(team.team_rank() / 32, 0, 32) : team.team_rank() / L;
    const bool odd = g % 2 == 1;
    const int rank = shared ? team.league_rank() % teams : 0;
    // Scratch keeps the offset of the lane's first row: over the steps it would occupy a register.
    int* const parked = reinterpret_cast<int*>(scratch + slots_size) + team.team_rank();
    const int pitch = ragged ? nx : row, step_of_rows = odd ? -1 : 1;
    const Place place(*this, rank * groups + g, lane, odd);
    *parked = place.row * pitch + place.column;

    // The neighbour beyond the early seam, and the places that rows go to and come from.
    const int other = odd ? g + 1 : g - 1;
    const bool remote = shared && (other < 0 || other >= groups);
    const int partner = other < 0 ? groups - 1 : other >= groups ? 0 : other, outer = shared ? 1 : 0;
    T* const late_to = scratch + (g ^ 1) * 2 * row + lane * width;
    const T* const late_from = scratch + g * 2 * row + lane * width;
    T* const early_to = scratch + late_size + (partner - outer) * 2 * row + lane * width;
    const T* const early_from = scratch + late_size + (g - outer) * 2 * row + lane * width;
    const int next_team = odd ? (rank + 1 < teams ? rank + 1 : 0) : (rank > 0 ? rank - 1 : teams - 1);
    Word* const box_there =
        boxes + ((team.league_rank() - rank + next_team) * 2 + (odd ? 0 : 1)) * Box::size + lane;
    Word* const box_here = boxes + (team.league_rank() * 2 + (odd ? 1 : 0)) * Box::size + lane;

    T v[R][C];              // in the order of the sweep
    T early[2][C] = {};     // beyond the first row, from the nearest on
    T late_row[2][C] = {};  // beyond the last
    T late_weight = T(0);   // weight of the Laplacian that the last row still lacks
    int slot = 0;           // of this step
    unsigned message = 0;
    // A lane that is a column short has a copy of the next lane's first column in its place.
    const int here = lane < lanes ? lane : 0, left_lane = ragged ? (here > 0 ? here : lanes) - 1 : lane - 1,
              right_lane = ragged ? (here + 1 < lanes ? here + 1 : 0) : lane + 1;
    const bool is_short = ragged && place.width < C,
               left_is_short = ragged && EvenShare(left_lane, nx, lanes).size < C;
    const auto left_of = [&](T last, T before_last) {
      return from_lane(ragged && is_short ? before_last : last, left_lane, L);
    };
    const auto right_of = [&](T first, T second) {
      return from_lane(ragged && left_is_short ? second : first, right_lane, L);
    };
    const auto meet = [&] { compat::team_barrier<form.assumes>(team); };
    const auto send_late = [&](int to_slot) {
      PARITY_UNROLL
      for (int m = 0; m <= (ragged ? R - 2 : 0); ++m) {
        if (ragged && m != place.missing) continue;
        Row::write(late_to + to_slot * late_slot, v[R - 1 - m], beside);
        Row::write(late_to + to_slot * late_slot + row, v[R - 2 - m], beside);
      }
    };
    const auto add_late_laplacian = [&] {
      T beyond[C];
      Row::read(beyond, late_from + row, beside);
      PARITY_UNROLL
      for (int i = 0; i < C; ++i) v[R - 1][i] = update(v[R - 1][i], late_weight, beyond[i]);
    };

    const auto step = [&] {
      const int next = slot ^ 1;
      RowSweep<T, R, C, deferred, hand> sweep(early, left_of);
      PARITY_UNROLL
      for (int k = -1; k <= (late == Late::laplacian ? R - 1 : R); ++k) {
        if (k == first_meeting) {
          meet();
          if (late == Late::laplacian) {
            add_late_laplacian();
            Row::write(late_to, v[R - 1], beside);
          }
        }
        if (late != Late::laplacian && (k == read_late || k == read_late + 1))
          Row::read(late_row[k == read_late ? 0 : 1],
                    late_from + slot * late_slot + (k == read_late ? 0 : row), beside);
        if (late != Late::rows && k == second_meeting) meet();
        if (late == Late::laplacian && k == read_late) Row::read(late_row[0], late_from, beside);
        if constexpr (shared) {
          if (k == fetch && remote) Box::fetch(early, box_here, message);
          if (k == take && remote)
            Box::take(
                early, box_here, message++, [] { Kokkos::memory_fence(); },
                [] {
                  Kokkos::abort(
                      "kokkos-resident: a team waits for one that is not at work; take another variant");
                });
        }
        if (early_groups > 0 && k == read_early && !remote) {
          PARITY_UNROLL
          for (int a = 0; a < 2; ++a) Row::read(early[a], early_from + next * early_slot + a * row, beside);
        }

        sweep.row(k, early, v, late_row, alpha, left_of, right_of);

        if (k == 1 || k == 2) {  // row k - 1 is final
          if constexpr (shared) {
            if (remote) Box::put(v[k == 1 ? 0 : 1], k - 1, box_there, message);
          }
          if (early_groups > 0 && !remote)
            Row::write(early_to + next * early_slot + (k - 1) * row, v[k == 1 ? 0 : 1], beside);
        }
      }
      if (late == Late::laplacian) {
        // The last row lacks the neighbour's Laplacian until the first barrier of the next step.
        const T lap_right = right_of(sweep.lap[0], sweep.lap[1]);
        Row::write(late_to + row, sweep.lap, beside);
        sweep.without_late(v, alpha, lap_right);
        late_weight = deferred ? T(Scaled::weight) : alpha;
      } else {
        send_late(next);
      }
      slot = next;
    };

    const std::size_t plane_size = std::size_t(ny) * nx;
    PARITY_UNROLL_BY(1)
    for (int plane = shared ? team.league_rank() / teams : team.league_rank(); plane < nz; plane += planes) {
      int at = *parked, j = at / pitch;
      PARITY_UNROLL
      for (int r = 0; r < R; ++r) load(v[r], in + plane * plane_size, j + r * step_of_rows, at - j * pitch);
      PARITY_UNROLL
      for (int a = 0; a < 2; ++a)
        load(early[a], in + plane * plane_size, j - (a + 1) * step_of_rows, at - j * pitch);
      slot = 0;
      late_weight = T(0);
      if (late == Late::laplacian) {
        T none[C] = {};
        Row::write(late_to + row, none, beside);
      } else {
        send_late(slot);
      }
      int left = steps;
      PARITY_UNROLL_BY(1)
      while (left > 0) {
        const int some = !deferred || left < Scaled::steps ? left : Scaled::steps;
        int s = 0;
        if constexpr (L == 16) {  // short steps run in pairs, whose slots are constants
          PARITY_UNROLL_BY(1)
          for (; s + 1 < some; s += 2) {
            slot = 0;
            step();
            step();
          }
          if (s < some) step();
        } else {
          PARITY_UNROLL_BY(1)
          for (; s < some; ++s) step();
        }
        left -= some;
        if (!deferred) continue;
        const T factor = Scaled::factor(some);
        scale(v, early, factor);
        late_weight *= factor;
        if (late != Late::laplacian) send_late(slot);
      }
      meet();
      if (late == Late::laplacian) add_late_laplacian();
      at = *parked;
      T* const to = out + plane * plane_size + at;
      PARITY_UNROLL
      for (int r = 0; r < R; ++r) {
        if constexpr (ragged) {
          const Place again(*this, rank * groups + g, lane, odd);
          PARITY_UNROLL
          for (int i = 0; i < C; ++i)
            if (again.stores && r < again.owned && i < again.width)
              to[r * step_of_rows * pitch + i] = v[r][i];
        } else {
          Row::write(to + r * step_of_rows * pitch, v[r], width);
        }
      }
      meet();  // before the next plane's rows overwrite the slots
    }
  }

  static constexpr int width = Row::width, beside = L * width, row = L * C;
  static constexpr int late_slot = form.late_slots() == 2 ? form.groups() * 2 * row : 0,
                       early_slots = form.early_slots(int(sizeof(T))), early_groups = form.early_groups(),
                       early_slot = early_slots == 2 ? early_groups * 2 * row : 0,
                       late_size = form.late_size(),
                       slots_size = late_size + early_slots * early_groups * 2 * row,
                       scratch_bytes = form.scratch_bytes(int(sizeof(T)));
  static_assert(slots_size * int(sizeof(T)) <= form.room(), "more scratch than a team has");

  // Rows before which the sweep has its barriers, reads and fetches.
  static constexpr int first_meeting =
      late == Late::laplacian ? (R + 1) / 3 : R / 2 + (late == Late::rows && (L == 32 || R < 8) ? 1 : 0);
  static constexpr int second_meeting =
      late == Late::laplacian ? (R == 8 ? 7 : 2 * ((R + 1) / 3)) + form.gap : R - 1;
  static constexpr int read_late = late == Late::laplacian ? second_meeting
                                   : R - 2 < first_meeting ? first_meeting
                                                           : R - 2;
  static constexpr int read_early = late == Late::rows            ? R
                                    : late == Late::rows_one_slot ? R - 2
                                    : early_slots == 2            ? R - 1
                                                                  : second_meeting - 1;
  static constexpr int fetch = R - 4, take = R - 1;
  static_assert(first_meeting > 2 && (late == Late::rows || first_meeting < second_meeting) &&
                    second_meeting < R && read_late < R && (!shared || (fetch > 3 && fetch < take)),
                "what is sent is read after a meeting, and before the next is written");

  const T* in;
  T* out;  ///< a field other than 'in'
  T alpha;
  Word* boxes;  ///< two per team, initially empty
  int nx, ny, nz, lanes, groups, teams, planes, steps;

  /// A lane's part of its plane. Lanes beyond the last repeat the first one's work and store nothing.
  struct Place {
    int row, step;      ///< its first row in the order of the sweep, and the step to the next
    int owned;          ///< rows; the rows behind them are copies of the partner's
    int missing;        ///< rows that its pair lacks
    int column, width;  ///< first column and number; columns behind them are copies of the next lane's
    bool stores;
    KOKKOS_INLINE_FUNCTION Place(const ResidentPlanes& p, int group, int lane, bool odd)
        : step(odd ? -1 : 1) {
      const EvenShare own(group / 2, p.ny, p.teams * p.groups / 2);
      const EvenShare mine(lane < p.lanes ? lane : 0, p.nx, p.lanes);
      row = odd ? own.first + own.size - 1 : own.first;
      owned = odd ? own.size / 2 : own.size - own.size / 2;
      missing = 2 * R - own.size;
      column = mine.first, width = mine.size;
      stores = lane < p.lanes;
    }
  };
  KOKKOS_INLINE_FUNCTION void load(T (&v)[C], const T* plane, int j, int column) const {
    const T* const from = plane + std::ptrdiff_t(wrap(j, ny)) * nx;
    if constexpr (ragged) {
      PARITY_UNROLL
      for (int i = 0; i < C; ++i) v[i] = from[column + i < nx ? column + i : column + i - nx];
    } else {
      Row::read(v, from + column, width);
    }
  }
};

template <class T>
PlaneShare share_of(const Problem& p, const Tuning& t) {
  const Exec exec;
  const ResidentRoom room{compat::multiprocessors(exec), compat::shared_memory_of_multiprocessor(exec),
                          compat::scratch_of_launch(std::int64_t(TeamPolicy(1, 1).scratch_size_max(0)),
                                                    32 * SwappedSlotForm::warps)};
  PlaneShare best = best_share(ResidentForms<T>::all, int(sizeof(T)), p, t[0], room);
  const auto consider = [&](const PlaneShare& s) {
    if (s.cost < best.cost) best = s;
  };
  consider(share_at_late_seams<T>(p, t[0], room));
  if (p.alpha == DeferredScale<T>::alpha) consider(share_with_swapped_slots(p, int(sizeof(T)), t[0], room));
  return best;
}
PlaneShare share_of(const Problem& p, const Tuning& t) {
  return p.precision == Precision::f32 ? share_of<float>(p, t) : share_of<double>(p, t);
}

/// Words of all mailboxes, two per team.
template <class T>
std::int64_t box_words(const Problem& p, const PlaneShare& s) {
  const std::int64_t boxes = std::int64_t(2) * s.planes * s.teams;
  if (s.kernel == ResidentKernel::late_seams) return boxes * LateSeamPlanes<T, true>::Box::size;
  if (s.kernel == ResidentKernel::swapped_slots)
    return boxes * SwappedSlotForm{int(p.nx / 32), int(sizeof(T))}.box_words();
  if (s.form < 0 || !ResidentForms<T>::all[s.form].shared) return 0;
  const ResidentForm& f = ResidentForms<T>::all[s.form];
  return boxes * f.turns * 2 * f.row() * std::int64_t(sizeof(T)) / 8;
}

/// Calls use(planes) with the kernel of a share.
template <class T, class F, int... n>
void with_kernel(const PlaneShare& share, double alpha, const F& use, std::integer_sequence<int, n...>) {
  const auto with = [&](auto number) {
    constexpr ResidentForm form = ResidentForms<T>::all[number];
    if (!share.whole)
      use(ResidentPlanes<T, number, any_plane>{});
    else if (form.deferred && alpha == DeferredScale<T>::alpha)
      use(ResidentPlanes < T, number, form.deferred ? deferring : plain > {});
    else
      use(ResidentPlanes<T, number, plain>{});
  };
  ((n == share.form ? with(std::integral_constant<int, n>()) : void()), ...);
}

template <class T>
struct TeamResident {
  using Word = unsigned long long;
  Fields<T> f;
  PlaneShare share;
  Kokkos::View<Word*, Exec> boxes;
  TeamResident(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), share(share_of<T>(p, t)) {
    boxes = Kokkos::View<Word*, Exec>("rows on their way", std::size_t(box_words<T>(p, share)));
    if constexpr (teams_on_device) Kokkos::deep_copy(boxes, Mailbox<T, 2, 2>::empty);
  }
  int operator()() const {
    const Problem& p = f.p;
    if constexpr (teams_on_device) {
      if (share.kernel == ResidentKernel::late_seams)
        p.alpha == DeferredScale<T>::alpha ? launch_whole<LateSeamPlanes<T, true>>()
                                           : launch_whole<LateSeamPlanes<T, false>>();
      else if (share.kernel == ResidentKernel::swapped_slots)
        p.nx == 256 ? launch_whole<SwappedSlotPlanes<T, 8>>() : launch_whole<LargestSwapped>();
      else
        with_kernel<T>(
            share, p.alpha,
            [&](auto planes) {
              planes = {f[0].data(), f[1].data(), T(p.alpha),   boxes.data(), int(p.nx),    int(p.ny),
                        int(p.nz),   share.lanes, share.groups, share.teams,  share.planes, int(p.steps)};
              launch(planes, share.groups * planes.L);
            },
            std::make_integer_sequence<int, int(std::size(ResidentForms<T>::all))>());
    }
    return 1;
  }
  using LargestSwapped = SwappedSlotPlanes<T, sizeof(T) == 4 ? 16 : 8>;
  template <class Planes>
  void launch_whole() const {
    launch(Planes{f[0].data(), f[1].data(), T(f.p.alpha), boxes.data(), int(f.p.nz), share.planes,
                  share.teams, int(f.p.steps)},
           32 * Planes::W);
  }
  template <class Planes>
  void launch(const Planes& planes, int threads) const {
    typename Planes::Policy policy(f.exec, share.planes * share.teams, threads, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(Planes::scratch_bytes + 16));
    Kokkos::parallel_for("parity::diffusion::team_resident", policy, planes);
  }
};

}  // namespace

Entry kokkos() {
  Entry e = kokkos_entry({"64", "1"}, {"64"}, "most teams that share a plane and wait for each other");
  if (!compat::exec_is_device())
    e.unavailable = "its planes are in the registers of a GPU's threads, and this Kokkos runs on the host";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto reason = refuse_many_points(p, t)) return reason;
    if (p.steps > std::numeric_limits<int>::max()) return "more than 2^31 - 1 steps";
    if (compat::lanes_of_warp() > 32)
      return "its groups of 32 lanes wait for each other, and this GPU runs 64 in step: take "
             "kokkos-temporal-tuned";
    if (share_of(p, t).form >= 0) return std::nullopt;
    return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
           " points cannot be shared out among teams that this device holds at the same time";
  };
  e.model = [](const Problem& p, const Tuning& t) {
    const PlaneShare s = share_of(p, t);
    return cost(p,
                s.whole && (s.kernel != ResidentKernel::of_forms ||
                            (p.precision == Precision::f32 ? ResidentForms<float>::all[s.form].deferred
                                                           : ResidentForms<double>::all[s.form].deferred)));
  };
  e.extra_bytes = [](const Problem& p) {
    const PlaneShare s = share_of(p, {{64}});
    return 8 * double(p.precision == Precision::f32 ? box_words<float>(p, s) : box_words<double>(p, s));
  };
  return with_run<TeamResident>(e);
}

}  // namespace parity::diffusion::resident

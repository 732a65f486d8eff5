// SPDX-License-Identifier: BSD-3-Clause
// resident, CUDA: each plane stays in the registers of a group of blocks for all steps, as many planes at a
// time as fit, in one cooperative launch.
//
// A group of 32 lanes owns 'rows' full rows, 'columns' of them a lane; shuffles round the group are the
// periodic wrap in x. Groups form a ring over the plane, block after block. Even groups number their rows
// downwards, odd ones upwards, so that two neighbours either both start a sweep at their seam ('early') or
// both end it there ('late'); seams between blocks are early ones.
//
// At a seam within a block each side computes the Laplacian of its own rows alone and hands one row of it
// over, which the other adds when it has come; then the finished row goes over the seam, and two barriers a
// sweep order all (seam_schedule.hpp). Rows for another block take longer: they go as two rows through a
// mailbox in memory, the Laplacian beyond the seam is computed on both sides, and they have most of a sweep.
//
// A plane that does not fill all lanes and rows ('ragged') is spread evenly: what some lanes and groups lack
// at the end is a copy of the neighbour's first column or rows, which is computed along.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "algorithm.hpp"
#include "backend/cuda/diffusion/plane_launch.cuh"
#include "mailbox.cuh"
#include "seam_schedule.hpp"

namespace parity::cuda {

/// Whether the sums of a row take so many registers that the first and the last row of a group wait in shared
/// memory while they are not at work.
template <class T, class Form>
constexpr bool parks = Form::config.columns* int(sizeof(T)) > 64;
template <class T, class Form>
constexpr int resident_bytes =
    (SeamSchedule{Form::config.rows, true}.slots() + (parks<T, Form> ? 2 : 0)) * Form::config.most_groups() *
    32 * Form::config.columns* int(sizeof(T));

/// deferred: DeferredScale, for alpha = 1/32. Grid: blocks of a plane x planes at a time. boxes: two
/// mailboxes a block, empty.
template <class T, class Form, bool ragged, bool deferred>
__global__ void __launch_bounds__(Form::config.threads, 1)
    resident_planes(const T* in, T* out, PlaneDivision d, T alpha, int planes, int steps, T* boxes) {
  using Row = SharedRow<T, Form::config.columns, 32>;
  using A = Access<T, Form::config.columns>;
  using Box = Mailbox<T, Form::config.columns>;
  using Scaled = DeferredScale<T>;
  using Step = PairStep<T, deferred>;
  constexpr bool parked_rows = parks<T, Form>;
  constexpr int R = Form::config.rows, C = Form::config.columns,
                most_missing = 2 * Form::config.most_short_rows();
  constexpr SeamSchedule schedule{R, ragged};
  constexpr int first_meeting = schedule.first_meeting(), second_meeting = schedule.second_meeting();
  static_assert(first_meeting >= 2 && first_meeting <= R - 2 && second_meeting <= R - 1, "too few rows");
  static_assert(schedule.turns() == 2 || schedule.sent_late(ragged ? most_missing : 0) >= second_meeting,
                "a late Laplacian could be sent before the last one has been read");
  // With registers to spare rows are asked for before they are needed.
  constexpr bool read_ahead = !parked_rows;
  static_assert(!read_ahead || R > 4, "fetched before it has been sent");
  constexpr bool hand_pairs = C >= 16 && !ragged;
  // Sums that serve two points need a register each: with too few for both Laplacians the first goes without.
  constexpr bool first_by_pairs = !parked_rows;
  constexpr bool sends_together = sizeof(T) == 8 || R > 8;  // by measurement; or access by access

  extern __shared__ __align__(16) unsigned char memory[];
  constexpr int kind = Form::config.most_groups() * Row::size;  // elements of the slots of all groups
  constexpr int phi_slot = 0, lap_slot = kind;
  T* const slots = reinterpret_cast<T*>(memory);

  const int lane = threadIdx.x % 32, warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0),
            warps = blockDim.x / 32;
  const Place<Form, true, ragged> here(d, warp, lane, blockIdx.x);
  const RowRing<Form, ragged> ring(here);
  const int lx = here.lx, g = here.g, rank = here.rank;
  const bool odd = here.odd;
  const int missing = ragged ? here.rows.missing : 0;

  // Seams. At the plane's own wrap the first group of the first block meets the last of the last. What is
  // sent lies in the receiver's slots: rows and their Laplacians, of either seam.
  const int beside = odd ? g + 1 : g - 1;
  const bool remote = beside < 0 || beside >= d.groups;
  const int early_partner = beside < 0 ? d.groups - 1 : beside >= d.groups ? 0 : beside;
  T* const early_to = slots + early_partner * Row::size + Row::first(lx);
  T* const early_from = slots + g * Row::size + Row::first(lx);
  T* const late_to = slots + schedule.late_row * kind + (g ^ 1) * Row::size + Row::first(lx);
  const T* const late_from = slots + schedule.late_row * kind + g * Row::size + Row::first(lx);
  T* const parked =
      slots + schedule.slots() * kind + g * Row::size + Row::first(lx);  // the last row at + kind
  // Beyond late_to and late_from: where the Laplacian of a step lies.
  const auto late_lap_slot = [](int of_step) {
    return (SeamSchedule{R, ragged}.late_laplacian(of_step) - SeamSchedule::late_row) * kind;
  };
  // Another block: its mailbox for this seam, and this block's. 'sent' counts over all planes.
  const int there_block = int(blockIdx.x) - rank + (odd ? rank + 1 : rank + d.blocks - 1) % d.blocks;
  T* const box_there = boxes + (there_block * 2 + (odd ? 0 : 1)) * Box::size + Box::first(lane);
  T* const box_here = boxes + (int(blockIdx.x) * 2 + (odd ? 1 : 0)) * Box::size + Box::first(lane);
  unsigned sent = 0;

  T v[R][C], early_row[C], late_row[C];
  T second_row[C];       // beyond the early one, of rows that come through memory
  T late_weight = T(0);  // of the step before, which the last row still lacks a part of
  // Over an early seam within the block: an access of a row, or of the Laplacian of one.
  const auto send_access = [&](const T(&row)[C], int a, int slot) {
    if (!remote) write_access(row, a, early_to + slot + Row::access(a));
  };
  const auto send_early = [&](const T(&row)[C], int slot) {
#pragma unroll
    for (int a = 0; a < A::count; ++a) send_access(row, a, slot);
  };
  const SeamBarriers<Form> seams(warp, warps, odd, remote);

  const auto step = [&](auto scaling, int s) {
    constexpr bool scales = decltype(scaling)::value;
    const bool more = s + 1 < steps;
    const T weight = !deferred ? alpha : T(scales ? Scaled::weight * Scaled::all : Scaled::weight);
    const auto phi = [&](int k, int i) -> T {
      return k < 0 ? early_row[i] : k == R ? late_row[i] : v[k < 0 || k >= R ? 0 : k][i];
    };
    // All indices are constants after unrolling, so that these are registers of the rows at work: sums of a
    // row with the row before it, its Laplacian, sums of that. A row is finished column by column, in place.
    T pair[C], lap[C], lap_pair[C];
    // An access of a neighbour's Laplacian, which a row has lacked so far.
    const auto add_access = [&](T(&row)[C], int a, const T* beyond, T by) {
      T part[C];
      read_access(part, a, beyond + Row::access(a));
#pragma unroll
      for (int i = a * A::width; i < (a + 1) * A::width; ++i) row[i] = update(row[i], by, part[i]);
    };
    const auto ask_late = [&](int k, int a) {
      if (!read_ahead && k == R - 1) read_access(late_row, a, late_from + phi_slot + Row::access(a));
    };
    if constexpr (parked_rows) Row::read(v[0], parked);
    if constexpr (first_by_pairs) {
      const T left = ring.from_left(v[0][C - 1], v[0][C - 2]);
#pragma unroll
      for (int i = 0; i < C; ++i) pair[i] = pair_sum(i > 0 ? v[0][i > 0 ? i - 1 : 0] : left, early_row[i]);
    }
    if (remote) {  // the Laplacian beyond the seam, as if it had come
      const T left = ring.from_left(early_row[C - 1], early_row[C - 2]),
              right = ring.from_right(early_row[0], early_row[1]);
#pragma unroll
      for (int a = 0; a < A::count; ++a) {
        T beyond[C];
#pragma unroll
        for (int i = a * A::width; i < (a + 1) * A::width; ++i) {
          const T west = i > 0 ? early_row[i > 0 ? i - 1 : 0] : left,
                  east = i < C - 1 ? early_row[i < C - 1 ? i + 1 : 0] : right;
          beyond[i] = Step::laplacian_at(early_row[i], west + second_row[i], east + v[0][i]);
        }
        write_access(beyond, a, early_from + lap_slot + Row::access(a));
      }
    }
    T west_of_next = T(0);
#pragma unroll
    for (int k = 0; k < R; ++k) {
      if (k == first_meeting) {
        seams.meet();
#pragma unroll
        for (int a = 0; a < A::count; ++a) {
          if (parked_rows) read_access(v[R - 1], a, parked + kind + Row::access(a));
          add_access(v[R - 1], a, late_from + late_lap_slot(s - 1), late_weight);
          if (!ragged) write_access(v[R - 1], a, late_to + phi_slot + Row::access(a));
        }
        if constexpr (ragged) {  // a partner with fewer rows has my first ones as its last
#pragma unroll
          for (int m = 0; m <= most_missing; ++m)
            if (m == missing) Row::write(v[schedule.sent_late(m)], late_to + phi_slot);
        }
        if (!remote) {
#pragma unroll
          for (int a = 0; a < A::count; ++a) {
            add_access(v[0], a, early_from + lap_slot, weight);
            if (!sends_together) send_access(v[0], a, phi_slot);
            if (parked_rows) write_access(v[0], a, parked + Row::access(a));
          }
          if (sends_together) send_early(v[0], phi_slot);
        }
      }
      if (k == 2 && remote) {
#pragma unroll
        for (int a = 0; a < A::count; ++a) {
          add_access(v[0], a, early_from + lap_slot, weight);
          if (parked_rows) write_access(v[0], a, parked + Row::access(a));
        }
        if (more) Box::put(v[0], 0, box_there, sent);
      }
      if (k == second_meeting) seams.meet();
      if (read_ahead && k == second_meeting) Row::read(late_row, late_from + phi_slot);
      if (read_ahead && k == R - 2 && remote && more) Box::fetch(early_row, second_row, box_here, sent - 1);
      if (read_ahead && k == R - 1 && more && !remote) Row::read(early_row, early_from + phi_slot);
      ask_late(k, A::count - 1);
      const T left = ring.from_left(phi(k + 1, C - 1), phi(k + 1, C - 2));
      ask_late(k, 0);
      [[maybe_unused]] T west = T(0), pair_before = pair[0];
      T last_pair = T(0);
      if constexpr (first_by_pairs) {
        pair[0] = pair_sum(left, phi(k, 0));
        last_pair = hand_pairs ? ring.of_right(pair[0])
                               : pair_sum(phi(k + 1, C - 1), ring.from_right(phi(k, 0), phi(k, 1)));
      } else {
        west = k == 0 ? ring.from_left(v[0][C - 1], v[0][C - 2]) : west_of_next;
        last_pair = ring.from_right(v[k][0], v[k][1]);  // what is east of the last column
      }
      west_of_next = left;
      const T first_lap = k > 0 ? lap[0] : T(0);
      const T lap_right = k > 0 && !hand_pairs ? ring.from_right(lap[0], lap[1]) : T(0);
      T first_lap_pair = T(0), lap_pair_before = k > 0 ? lap_pair[0] : T(0);
#pragma unroll
      for (int i = 0; i < C; ++i) {
        const int next = i < C - 1 ? i + 1 : 0;
        if (i > 0 && i % A::width == 0 && i / A::width < A::count - 1) ask_late(k, i / A::width);
        T now;
        if constexpr (first_by_pairs) {
          const T pair_after = next > 0 ? pair_sum(phi(k + 1, i), phi(k, next)) : last_pair;
          now = Step::laplacian_at(v[k][i], pair_before, pair_after);
          pair_before = pair[next];
          if (next > 0) pair[next] = pair_after;
        } else {
          now = Step::laplacian_at(
              v[k][i], (i > 0 ? v[k][i > 0 ? i - 1 : 0] : west) + (next > 0 ? v[k][next] : last_pair),
              phi(k - 1, i) + phi(k + 1, i));
        }
        if (next == 0) {
          const T lap_left = ring.from_left(now, lap[C - 2]);
          first_lap_pair = k > 0 ? pair_sum(lap_left, first_lap) : lap_left;
        }
        T lap_pair_after = now;  // of the first row, which lacks a part
        if (k > 0) {
          lap_pair_after = next > 0     ? pair_sum(now, lap[next])
                           : hand_pairs ? ring.of_right(first_lap_pair)
                                        : pair_sum(now, lap_right);
          T& to = v[k > 0 ? k - 1 : 0][i];
          to = Step::template update<scales>(to, alpha, lap[i], lap_pair_before, lap_pair_after);
          lap_pair_before = lap_pair[next];
        }
        if (next > 0) lap_pair[next] = lap_pair_after;
        lap[i] = now;
      }
      lap_pair[0] = first_lap_pair;
      if (k == 0) send_early(lap, lap_slot);
      if (ragged ? k == schedule.sent_late(missing) : k == R - 1) Row::write(lap, late_to + late_lap_slot(s));
      if (k == 2 && remote && more) Box::put(v[1], 1, box_there, sent++);
    }
    const T lap_right = ring.from_right(lap[0], lap[1]);
#pragma unroll
    for (int i = 0; i < C; ++i) {
      const T after = i < C - 1 ? lap[i < C - 1 ? i + 1 : 0] : lap_right;
      T& to = v[R - 1][i];
      to = Step::template update<scales>(to, alpha, lap[i], lap_pair[i], after);
    }
    if constexpr (parked_rows) Row::write(v[R - 1], parked + kind);
    late_weight = weight;
    if (more) {
      if (remote) {
        if (!read_ahead) Box::fetch(early_row, second_row, box_here, sent - 1);
        Box::take(early_row, second_row, box_here, sent - 1);
      } else if (!read_ahead) {
        Row::read(early_row, early_from + phi_slot);
      }
    }
  };

  const std::size_t plane_size = std::size_t(d.ny) * d.pitch;
  const int planes_at_a_time = int(gridDim.x) / d.blocks;
#pragma unroll 1
  for (int plane = here.turn; plane < planes; plane += planes_at_a_time) {
    const auto first = here.again(d);
    const T* const source = in + plane * plane_size;
#pragma unroll
    for (int r = 0; r < R; ++r) first.load(v[r], source + first.row(r));
    if (remote) {
      first.load(early_row, source + std::size_t(first.rows.of_plane(-1)) * d.pitch);
      first.load(second_row, source + std::size_t(first.rows.of_plane(-2)) * d.pitch);
    } else {
      send_early(v[0], phi_slot);
    }
    if constexpr (parked_rows) {
      Row::write(v[0], parked);
      Row::write(v[R - 1], parked + kind);
    }
    T none[C];
#pragma unroll
    for (int i = 0; i < C; ++i) none[i] = T(0);
    Row::write(none, late_to + late_lap_slot(-1));  // the first step finds nothing to add
    __syncthreads();
    if (steps > 0 && !remote) Row::read(early_row, early_from + phi_slot);
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
      if (deferred && s % Scaled::steps == Scaled::steps - 1)
        step(std::true_type(), s);
      else
        step(std::false_type(), s);
    }
    seams.meet();
    if constexpr (parked_rows) {
      Row::read(v[0], parked);
      Row::read(v[R - 1], parked + kind);
    }
    T beyond[C];
    Row::read(beyond, late_from + late_lap_slot(steps - 1));
#pragma unroll
    for (int i = 0; i < C; ++i) v[R - 1][i] = update(v[R - 1][i], late_weight, beyond[i]);
    const auto there = here.again(d);
    T* const target = out + plane * plane_size;
    const T factor = deferred ? Scaled::factor(steps % Scaled::steps) : T(1);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (there.is_copy(r)) break;
      if constexpr (deferred) {
#pragma unroll
        for (int i = 0; i < C; ++i) v[r][i] *= factor;
      }
      there.store(v[r], target + there.row(r));
    }
    __syncthreads();  // before the slots take the next plane's rows
  }
}

template <class T, int columns>
__global__ void empty_boxes(T* boxes, long long size) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < size; i += gridDim.x * 256ll)
    boxes[i] = Mailbox<T, columns>::nothing();
}

/// Rows x columns of a lane: 128 floats or 64 doubles a lane are half of its registers.
template <class T>
struct ResidentConfigs {
  static constexpr PlaneConfig all[] = {{16, 8}, {8, 16}, {4, 32}};
};
template <>
struct ResidentConfigs<double> {
  static constexpr PlaneConfig all[] = {{8, 8}, {4, 16}};
};

template <class T>
class Resident : public WholeRun<T> {
 public:
  Resident(const Problem& p, const Tuning& t);
  void advance() override;
  Turns turns() const override { return {plan_.at_once, plan_.batches}; }
  static std::optional<std::string> refuse(const Problem& p, const Tuning& t);
  static bool defers_scaling(const Problem& p, const Tuning& t) { return launch_of(p, t).defers_scaling; }
  /// What the mailboxes take; 0 for problems that are refused.
  static double box_bytes(const Problem& p, const Tuning& t);

 private:
  using Kernel = void (*)(const T*, T*, PlaneDivision, T, int, int, T*);
  /// All blocks must be at work at the same time, since they wait for each other.
  struct Plan : PlaneLaunch<Kernel> {
    void (*empty)(T*, long long) = nullptr;
    std::int64_t box_size = 0;    ///< elements
    int at_once = 0;              ///< planes that the GPU has room for
    int planes = 0, batches = 1;  ///< planes at a time, 0 if not even one fits; batches are as large
    std::string why;              ///< ... it does not
    std::int64_t box_elements() const { return 2 * std::int64_t(planes) * this->d.blocks * box_size; }
  };
  static Plan launch_of(const Problem& p, const Tuning& t);
  static Plan plan_of(const Problem& p, const Tuning& t);

  const Plan plan_;
  Buffer<T> boxes_;
};

/// The first form that the plane fits, in as few blocks of at most so many warps as it can: DeferredScale if
/// it is exact and the form has it.
template <class T>
auto Resident<T>::launch_of(const Problem& p, const Tuning& t) -> Plan {
  const int warps = t[0], most = attribute(cudaDevAttrMultiProcessorCount) * 8 / warps;
  Plan launch;
  find_form<ResidentConfigs<T>>([&](auto form) {
    using Form = decltype(form);
    constexpr PlaneConfig c = Form::config;
    if (p.nx > c.columns * c.lanes) return false;
    for (int blocks = 1; blocks <= most; ++blocks) {
      if (p.ny > std::int64_t(c.rows) * c.most_groups() * blocks) continue;
      const PlaneDivision d = divide_plane(c, int(p.nx), int(p.ny), packed_pitch<T>(p), blocks);
      if (d.groups == 0 || d.groups > warps) continue;
      const bool deferred = p.alpha == DeferredScale<T>::alpha, whole = is_whole(c, d);
      launch.kernel = whole && deferred ? resident_planes<T, Form, false, true>
                      : whole           ? resident_planes<T, Form, false, false>
                                        : resident_planes<T, Form, true, false>;
      if constexpr (c.defers_ragged()) {
        if (!whole && deferred) launch.kernel = resident_planes<T, Form, true, true>;
      }
      launch.d = d;
      launch.threads = d.groups * 32;
      launch.shared_bytes = resident_bytes<T, Form>;
      launch.defers_scaling = whole || c.defers_ragged();
      launch.empty = empty_boxes<T, c.columns>;
      launch.box_size = Mailbox<T, c.columns>::size;
      return true;
    }
    return false;
  });
  return launch;
}

template <class T>
auto Resident<T>::plan_of(const Problem& p, const Tuning& t) -> Plan {
  Plan plan = launch_of(p, t);
  const auto refused = [&plan](const std::string& why) {
    plan.why = why;
    return plan;
  };
  if (!plan.kernel)
    return refused("a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
                   " does not fit the registers of this GPU, or cannot be shared out among its blocks");
  if (const auto why = plan.why_not_shared()) return refused(*why);
  // Smaller blocks take the shared memory of large ones: they are only of use where as many warps fit.
  const int side_by_side = 8 / t[0],
            a_block = plan.shared_bytes + attribute(cudaDevAttrReservedSharedMemoryPerBlock),
            in_all = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  if (side_by_side > 1 && side_by_side * a_block > in_all)
    return refused(std::to_string(side_by_side) + " blocks of " + std::to_string(t[0]) +
                   " warps, each with " + std::to_string(a_block / 1024) +
                   " KiB of shared memory, do not fit this GPU's " + std::to_string(in_all / 1024) +
                   " side by side");
  if (!attribute(cudaDevAttrCooperativeLaunch)) return refused("this GPU cannot launch cooperative kernels");
  const int blocks = plan.blocks_resident();
  plan.at_once = blocks / plan.d.blocks;
  if (plan.at_once == 0)
    return refused("a plane needs " + std::to_string(plan.d.blocks) +
                   " blocks at work at a time, this GPU holds " + std::to_string(blocks));
  // As many in each batch, so that the last one is no shorter than it must be.
  plan.batches = int((p.nz + plan.at_once - 1) / plan.at_once);
  plan.planes = int((p.nz + plan.batches - 1) / plan.batches);
  return plan;
}

template <class T>
Resident<T>::Resident(const Problem& p, const Tuning& t)
    : WholeRun<T>([&p] { return Fields<T>::packed(p); }), plan_(plan_of(p, t)), boxes_(plan_.box_elements()) {
  // Emptied once: every message is taken before the launch ends.
  plan_.empty<<<256, 256>>>(boxes_.data(), boxes_.size());
  PARITY_CUDA(cudaGetLastError());
  PARITY_CUDA(cudaDeviceSynchronize());
}

template <class T>
void Resident<T>::advance() {
  const auto& f = this->f_;
  T *in = f[0], *out = f[1], *boxes = boxes_.data();
  PlaneDivision d = plan_.d;
  T alpha = T(f.p.alpha);
  int planes = int(f.p.nz), steps = int(f.p.steps);
  void* arguments[] = {&in, &out, &d, &alpha, &planes, &steps, &boxes};
  PARITY_CUDA(cudaLaunchCooperativeKernel(plan_.function(), dim3(unsigned(plan_.planes * d.blocks)),
                                          dim3(unsigned(plan_.threads)), arguments,
                                          std::size_t(plan_.shared_bytes), f.stream));
  this->result_ = 1;
}

template <class T>
std::optional<std::string> Resident<T>::refuse(const Problem& p, const Tuning& t) {
  constexpr int widest = 32 * std::rbegin(ResidentConfigs<T>::all)->columns;
  if (p.nz > std::numeric_limits<int>::max() || p.steps >= std::numeric_limits<int>::max())
    return "more than 2^31 - 1 planes or steps";
  if (p.nx > widest)
    return "rows of more than " + std::to_string(widest) + " points do not fit the registers of a warp";
  const Plan plan = plan_of(p, t);
  return plan.planes == 0 ? std::optional(plan.why) : std::nullopt;
}

template <class T>
double Resident<T>::box_bytes(const Problem& p, const Tuning& t) {
  return double(plan_of(p, t).box_elements()) * double(sizeof(T));
}

PARITY_INSTANTIATE(Resident)

}  // namespace parity::cuda

#ifndef PARITY_IN_DOUBLE
namespace parity::diffusion::resident {

Entry cuda() {
  Entry e;
  e.tunings = {"8", "4"};
  e.tuning_axes = "warps of a block";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 8 && t[0] != 4) return "blocks have 4 or 8 warps here";
    return p.precision == Precision::f32 ? cuda::Resident<float>::refuse(p, t)
                                         : cuda::Resident<double>::refuse(p, t);
  };
  e.model = [](const Problem& p, const Tuning& t) {
    harness::CostModel m =
        resident::cost(p, p.precision == Precision::f32 ? cuda::Resident<float>::defers_scaling(p, t)
                                                        : cuda::Resident<double>::defers_scaling(p, t));
    m.barriers = true;
    return m;
  };
  e.extra_bytes = [](const Problem& p) {  // of the tuning that needs more
    return p.precision == Precision::f32 ? std::max(cuda::Resident<float>::box_bytes(p, {{8}}),
                                                    cuda::Resident<float>::box_bytes(p, {{4}}))
                                         : std::max(cuda::Resident<double>::box_bytes(p, {{8}}),
                                                    cuda::Resident<double>::box_bytes(p, {{4}}));
  };
  return with_factories<cuda::Resident>(e);
}

}  // namespace parity::diffusion::resident
#endif

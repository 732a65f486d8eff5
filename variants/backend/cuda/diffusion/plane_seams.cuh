// SPDX-License-Identifier: BSD-3-Clause
// All steps of a plane in the registers of one block, of one cluster of blocks or of blocks of the whole GPU,
// with less work and more exchanges than plane_groups.cuh.
//
// A group of lanes owns 'rows' full rows, 'columns' of them a lane; neighbours in x come by shuffles round
// the group, which is the periodic wrap. Groups form a ring over the plane, block after block. Even groups
// number their rows downwards, odd ones upwards, so that two neighbours either both start a sweep at their
// seam ('early') or both end it there ('late'); seams between blocks are early ones.
//
// At a seam each side computes the Laplacian of its own rows alone and hands one row of it over; a step goes
// without the neighbour's row at first, which is added when it has come (the step is linear). Then the
// finished row goes over the seam. What is sent has about a third of a sweep to arrive, and two barriers in a
// sweep order all:
//   first row     its Laplacian leaves early; the last row's has left late, at the end of the sweep before
//   first meeting both are added to the rows that lacked them, and these leave
//   second one    the neighbours' rows are there: the late one for the last row, the early one for the next
//                 sweep
// Rows for another block of a cluster go by asynchronous stores that count on a barrier there; there is no
// barrier of the cluster in the loop. Rows for a block anywhere on the GPU take longer: they go through
// memory as two rows, the Laplacian beyond the seam is computed on both sides, and they have most of a sweep.
//
// A plane that does not fill all lanes and rows ('ragged') is spread evenly: some lanes have a column less
// than the others, some groups up to two rows less. What is missing at the end is a copy of the neighbour's
// first column or of its rows, which is computed along.
#pragma once
#include <type_traits>

#include "backend/cuda/hopper.cuh"
#include "diffusion/stencil.hpp"
#include "plane_place.cuh"
#include "seam_schedule.hpp"

namespace parity::cuda {

using namespace parity::diffusion;

/// deferred: DeferredScale, for alpha = 1/32. Grid: blocks of a plane x turns of the launch, or where blocks
/// exchange through memory, x planes at a time, of which each has one turn. boxes: for those, two of
/// Form::Box a block, empty.
template <class Form, bool cluster, bool ragged, bool deferred>
__global__ void __launch_bounds__(Form::threads, 1)
    plane_seams(const typename Form::Value* in, typename Form::Value* out, PlaneDivision d,
                typename Form::Value alpha, TurnsOfLaunch turns,
                [[maybe_unused]] typename Form::Value* boxes) {
#if PARITY_ON_HOPPER
  [[maybe_unused]] constexpr bool has_clusters = cluster && !Form::by_memory;
#else
  [[maybe_unused]] constexpr bool has_clusters = false;  // refused before the launch
#endif
  using T = typename Form::Value;
  using Row = typename Form::Row;
  using A = Access<T, Form::columns>;
  using Box = typename Form::Box;
  using Scaled = DeferredScale<T>;
  using Step = PairStep<T, deferred>;
  constexpr bool by_memory = cluster && Form::by_memory;
  constexpr bool parks = Form::parks;
  constexpr int R = Form::rows, C = Form::columns, lanes_here = Form::group_lanes;
  constexpr SeamSchedule schedule{R, ragged};
  constexpr int first_meeting = schedule.first_meeting(), second_meeting = schedule.second_meeting();
  static_assert(first_meeting >= 2 && first_meeting <= R - 2 && second_meeting <= R - 1, "too few rows");
  static_assert(schedule.turns() == 2 ||
                    schedule.sent_late(ragged ? 2 * Form::shape.most_short_rows() : 0) >= second_meeting,
                "a late Laplacian could be sent before the last one has been read");
  // With registers to spare rows are asked for before they are needed.
  constexpr bool read_ahead = !parks;
  constexpr int fetch = R - 2;
  static_assert(!(parks && cluster && !by_memory), "the slots of a cluster have no place for parked rows");
  static_assert(!by_memory || !read_ahead || fetch > 2, "fetched before it has been sent");
  constexpr bool hand_pairs = C >= 16 && !ragged;
  // Sums that serve two points need a register each. Where there are too few for both Laplacians, the first
  // goes without.
  constexpr bool first_by_pairs = !parks;

  extern __shared__ __align__(16) unsigned char memory[];
  constexpr int kind = Form::most_groups * Row::size;  // elements of the slots of all groups
  T* const slots = reinterpret_cast<T*>(memory);
  [[maybe_unused]] std::uint64_t* const arrived =
      reinterpret_cast<std::uint64_t*>(slots + schedule.slots() * kind);
  static_assert(
      (schedule.slots() + (parks ? 2 : 0)) * kind * int(sizeof(T)) + (cluster && !by_memory ? 32 : 0) <=
          Form::shared_bytes(cluster),
      "too little shared memory");
  using Side = RowSideBySide<T, C, lanes_here>;
  constexpr bool side_by_side = Side::pays && !ragged && !by_memory && !parks;
  constexpr int through = schedule.slots() * kind + 64 / int(sizeof(T));  // where rows change hands
  static_assert(!side_by_side || (through + kind) * int(sizeof(T)) <= Form::shared_bytes(cluster),
                "too little shared memory for rows that change hands");

  const int lane = threadIdx.x % 32, warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0),
            warps = blockDim.x / 32;
  const Place<Form, cluster, ragged> here(d, warp, lane, blockIdx.x);
  const RowRing<Form, ragged> ring(here);
  const int lx = here.lx, g = here.g, rank = here.rank, lanes = here.lanes;
  const bool odd = here.odd, active = here.active;
  const int missing = ragged ? here.rows.missing : 0;
  const int steps = by_memory ? turns.steps : turns.steps_of(here.turn);

  // Seams. At the plane's own wrap the first group of the first block meets the last of the last. What is
  // sent lies in the receiver's slots: rows and their Laplacians, of either seam.
  const int beside = odd ? g + 1 : g - 1;
  const bool wraps = beside < 0 || beside >= d.groups;
  const bool remote = cluster && wraps;
  const int early_partner = beside < 0 ? d.groups - 1 : beside >= d.groups ? 0 : beside;
  T* const early_to = slots + early_partner * Row::size + Row::first(lx);  // in whichever block
  T* const early_from = slots + g * Row::size + Row::first(lx);
  T* const late_to = slots + schedule.late_row * kind + (g ^ 1) * Row::size + Row::first(lx);
  const T* const late_from = slots + schedule.late_row * kind + g * Row::size + Row::first(lx);
  T* const parked =
      slots + schedule.slots() * kind + g * Row::size + Row::first(lx);  // the last row at + kind
  constexpr int phi_slot = 0, lap_slot = kind;
  // Beyond late_to and late_from: where the Laplacian of a step lies.
  const auto late_lap_slot = [](int of_step) {
    return (SeamSchedule{R, ragged}.late_laplacian(of_step) - SeamSchedule::late_row) * kind;
  };

  // Another block of the cluster: which of its slots, and which barriers there and here.
  [[maybe_unused]] std::uint32_t remote_rows = 0, remote_arrived = 0;
  [[maybe_unused]] const std::uint32_t my_arrived = shared_address(arrived + (odd ? 2 : 0));
  [[maybe_unused]] const std::uint32_t bytes = unsigned(lanes) * C * unsigned(sizeof(T));
#if PARITY_ON_HOPPER
  if constexpr (has_clusters) {
    const int there = odd ? (rank + 1) % d.blocks : (rank + d.blocks - 1) % d.blocks;
    remote_rows = address_in_block(shared_address(early_to), unsigned(there));
    remote_arrived = address_in_block(shared_address(arrived + (odd ? 0 : 2)), unsigned(there));
    if (threadIdx.x < 4) barrier_init(shared_address(arrived + threadIdx.x), 1);
    barrier_init_visible();
    __syncwarp();
    cluster_barrier();
  }
#endif
  // Any other block: its mailbox for this seam, and this block's. 'sent' counts over all planes.
  [[maybe_unused]] T *box_there = nullptr, *box_here = nullptr;
  [[maybe_unused]] unsigned sent = 0;
  if constexpr (by_memory) {
    const int there = int(blockIdx.x) - rank + (odd ? rank + 1 : rank + d.blocks - 1) % d.blocks;
    box_there = boxes + (there * 2 + (odd ? 0 : 1)) * Box::size + Box::first(lane);
    box_here = boxes + (int(blockIdx.x) * 2 + (odd ? 1 : 0)) * Box::size + Box::first(lane);
  }

  T v[R][C], early_row[C], late_row[C];
  [[maybe_unused]] T second_row[C];  // beyond the early one, of rows that come through memory
  T late_weight = T(0);              // of the step before, which the last row still lacks a part of

  // Over an early seam: an access of a row, or of the Laplacian of one.
  const auto send_access = [&](const T(&row)[C], int a, int slot, [[maybe_unused]] bool more) {
    if (by_memory && remote) return;  // its slots here are its own
    const int at = slot + Row::access(a);
#if PARITY_ON_HOPPER
    if constexpr (has_clusters) {
      if (remote) {
        store_async_if<A::width>(remote_rows + at * int(sizeof(T)), &row[a * A::width],
                                 remote_arrived + (slot == phi_slot ? 8 : 0), more && active);
        return;
      }
    }
#endif
    write_access(row, a, early_to + at);
  };
  const auto send_early = [&](const T(&row)[C], int slot, bool more) {
#pragma unroll
    for (int a = 0; a < A::count; ++a) send_access(row, a, slot, more);
  };
  // Until what comes over an early seam has come, in its n-th use.
  const auto await_early = [&]([[maybe_unused]] int slot, [[maybe_unused]] int n) {
#if PARITY_ON_HOPPER
    if constexpr (has_clusters) {
      if (remote) {
        const std::uint32_t barrier = my_arrived + (slot == phi_slot ? 8 : 0);
        barrier_expect_if(barrier, bytes, lane == 0);
        barrier_wait(barrier, unsigned(n) & 1u);
      }
    }
#endif
  };
  const auto receive_early = [&](int n) {
    await_early(phi_slot, n);
    Row::read(early_row, early_from + phi_slot);
  };
  // The last row to its partner: one with fewer rows has my first ones as its last.
  const auto send_late_row = [&] {
    if constexpr (!ragged) {
      Row::write(v[R - 1], late_to + phi_slot);
    } else {
#pragma unroll
      for (int m = 0; m <= 2 * Form::shape.most_short_rows(); ++m)
        if (m == missing) Row::write(v[schedule.sent_late(m)], late_to + phi_slot);
    }
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
    if constexpr (parks) Row::read(v[0], parked);
    if constexpr (first_by_pairs) {
      const T left = ring.from_left(v[0][C - 1], v[0][C - 2]);
#pragma unroll
      for (int i = 0; i < C; ++i) pair[i] = pair_sum(i > 0 ? v[0][i > 0 ? i - 1 : 0] : left, early_row[i]);
    }
    if constexpr (by_memory) {
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
            beyond[i] = Step::laplacian(early_row[i], west + second_row[i], east + v[0][i]);
          }
          write_access(beyond, a, early_from + lap_slot + Row::access(a));
        }
      }
    }
    T west_of_next = T(0);
#pragma unroll
    for (int k = 0; k < R; ++k) {
      if (k == first_meeting) {
        seams.meet();
#pragma unroll
        for (int a = 0; a < A::count; ++a) {
          if (parks) read_access(v[R - 1], a, parked + kind + Row::access(a));
          add_access(v[R - 1], a, late_from + late_lap_slot(s - 1), late_weight);
          if (!ragged) write_access(v[R - 1], a, late_to + phi_slot + Row::access(a));
        }
        if constexpr (ragged) send_late_row();
        if (!(by_memory && remote)) {
          await_early(lap_slot, s);
#pragma unroll
          for (int a = 0; a < A::count; ++a) {
            add_access(v[0], a, early_from + lap_slot, weight);
            if (!Form::sends_together) send_access(v[0], a, phi_slot, more);
            if (parks) write_access(v[0], a, parked + Row::access(a));
          }
          if (Form::sends_together) send_early(v[0], phi_slot, more);
        }
      }
      if (by_memory && k == 2 && remote) {
#pragma unroll
        for (int a = 0; a < A::count; ++a) {
          add_access(v[0], a, early_from + lap_slot, weight);
          if (parks) write_access(v[0], a, parked + Row::access(a));
        }
        if (more) Box::put(v[0], 0, box_there, sent);
      }
      if (k == second_meeting) seams.meet();
      if (read_ahead && k == second_meeting) Row::read(late_row, late_from + phi_slot);
      if (by_memory && read_ahead && k == fetch && remote && more)
        Box::fetch(early_row, second_row, box_here, sent - 1);
      if (read_ahead && k == R - 1 && more && !(by_memory && remote)) receive_early(s + 1);
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
          now = Step::laplacian(v[k][i], pair_before, pair_after);
          pair_before = pair[next];
          if (next > 0) pair[next] = pair_after;
        } else {
          now = Step::laplacian(
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
      if (k == 0) send_early(lap, lap_slot, true);
      if (ragged ? k == schedule.sent_late(missing) : k == R - 1) Row::write(lap, late_to + late_lap_slot(s));
      if (by_memory && k == 2 && remote && more) Box::put(v[1], 1, box_there, sent++);
    }
    const T lap_right = ring.from_right(lap[0], lap[1]);
#pragma unroll
    for (int i = 0; i < C; ++i) {
      const T after = i < C - 1 ? lap[i < C - 1 ? i + 1 : 0] : lap_right;
      T& to = v[R - 1][i];
      to = Step::template update<scales>(to, alpha, lap[i], lap_pair[i], after);
    }
    if constexpr (parks) Row::write(v[R - 1], parked + kind);
    late_weight = weight;
    if (more) {
      if (by_memory && remote) {
        if (!read_ahead) Box::fetch(early_row, second_row, box_here, sent - 1);
        Box::take(early_row, second_row, box_here, sent - 1);
      } else if (!read_ahead) {
        receive_early(s + 1);
      }
    }
  };

  const std::size_t plane_size = std::size_t(d.ny) * d.pitch;
  const int planes_at_a_time = cluster ? int(gridDim.x) / d.blocks : int(gridDim.x);
#pragma unroll 1
  for (int turn = here.turn;; turn += planes_at_a_time) {
    if (by_memory && turn >= turns.planes) break;
    {
      const auto first = by_memory ? here.again(d) : here;
      const T* const source = by_memory ? in + turn * plane_size
                                        : (turns.begins(turn) ? in : out) + turns.plane(turn) * plane_size;
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if constexpr (side_by_side)
          Side::read(v[r], source + first.row(r), first.lx);
        else
          first.load(v[r], source + first.row(r));
      }
      if constexpr (side_by_side) {
#pragma unroll
        for (int r = 0; r < R; ++r) Side::to_owners(v[r], slots + through + first.g * Row::size, first.lx);
      }
      if (by_memory && remote) {
        first.load(early_row, source + std::size_t(first.rows.of_plane(-1)) * d.pitch);
        first.load(second_row, source + std::size_t(first.rows.of_plane(-2)) * d.pitch);
      } else {
        send_early(v[0], phi_slot, steps > 0);
      }
    }
    if constexpr (parks) {
      Row::write(v[0], parked);
      Row::write(v[R - 1], parked + kind);
    }
    T none[C];
#pragma unroll
    for (int i = 0; i < C; ++i) none[i] = T(0);
    Row::write(none, late_to + late_lap_slot(-1));  // the first step finds nothing to add
    __syncthreads();
    if (steps > 0 && !(by_memory && remote)) receive_early(0);
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
      if (deferred && s % Scaled::steps == Scaled::steps - 1)
        step(std::true_type(), s);
      else
        step(std::false_type(), s);
    }
    seams.meet();
    if constexpr (parks) {
      Row::read(v[0], parked);
      Row::read(v[R - 1], parked + kind);
    }
    T beyond[C];
    Row::read(beyond, late_from + late_lap_slot(steps - 1));
#pragma unroll
    for (int i = 0; i < C; ++i) v[R - 1][i] = update(v[R - 1][i], late_weight, beyond[i]);
    const auto there = here.again(d);
    const int taken = by_memory ? turns.steps : turns.steps_of(there.turn);
    T* const target = out + (by_memory ? turn : turns.plane(there.turn)) * plane_size;
    const T factor = deferred ? Scaled::factor(taken % Scaled::steps) : T(1);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (there.is_copy(r)) break;
      if constexpr (deferred) {
#pragma unroll
        for (int i = 0; i < C; ++i) v[r][i] *= factor;
      }
      if constexpr (side_by_side) {
        Side::from_owners(v[r], slots + through + there.g * Row::size, there.lx);
        Side::write(v[r], target + there.row(r), there.lx);
      } else {
        there.store(v[r], target + there.row(r));
      }
    }
    if (!by_memory) break;
    __syncthreads();  // before the slots take the next plane's rows
  }
}

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// All steps of a plane in the registers of one block or of one cluster of blocks.
//
// A group of lanes owns 'rows' full rows, 'columns' of them a lane; neighbours in x come by shuffles round
// the group, which is the periodic wrap. Groups form a ring over the plane, block after block. Even groups
// number their rows downwards, odd ones upwards, so that two neighbours either both start a sweep at their
// seam ('early') or both end it there ('late'); seams between blocks are early ones. Rows sent early are
// needed when the next sweep starts, rows sent late when it ends: every exchange has a whole sweep to arrive,
// and one barrier in mid-sweep orders all. Rows for another block go by asynchronous stores that count on a
// barrier there, two buffers deep; there is no barrier of the cluster in the loop.
//
// A plane that does not fill all lanes and rows ('ragged') is spread evenly: some lanes have a column less
// than the others, some groups up to two rows less. What is missing at the end is a copy of the neighbour's
// first column or of its rows, which is computed along.
#pragma once
#include <type_traits>

#include "backend/cuda/hopper.cuh"
#include "diffusion/stencil.hpp"
#include "plane_place.cuh"

namespace parity::cuda {

using namespace parity::diffusion;

/// deferred: DeferredScale, for alpha = 1/32. Grid: blocks of a plane x turns of the launch.
template <class Form, bool cluster, bool ragged, bool deferred>
__global__ void __launch_bounds__(Form::threads, 1)
    plane_groups(const typename Form::Value* in, typename Form::Value* out, PlaneDivision d,
                 typename Form::Value alpha, TurnsOfLaunch turns, typename Form::Value*) {
#if PARITY_ON_HOPPER
  [[maybe_unused]] constexpr bool has_clusters = cluster;
#else
  [[maybe_unused]] constexpr bool has_clusters = false;  // refused before the launch
#endif
  using T = typename Form::Value;
  using Row = typename Form::Row;
  using Scaled = DeferredScale<T>;
  using Step = PairStep<T, deferred>;
  constexpr int R = Form::rows, C = Form::columns, lanes_here = Form::group_lanes;
  constexpr int early_slots = Form::early_slots(cluster), slot_size = Form::slot;
  // With registers to spare the rows of a seam are read before the last rows are computed.
  constexpr bool read_ahead = Form::threads <= 256;
  // By measurement groups of 16 lanes meet a row earlier. Rows sent early are read in the same step.
  constexpr int sent_early = 2, middle = R / 2 + (lanes_here == 32 || R < 8 ? 1 : 0),
                late_read = read_ahead ? middle : R - 1;
  static_assert(sent_early < middle && middle <= late_read && late_read < R,
                "what is sent is read after a meeting");
  constexpr bool hand_pairs = C >= 16 && !ragged;

  extern __shared__ __align__(16) unsigned char memory[];
  T* const early = reinterpret_cast<T*>(memory);
  T* const late = early + 2 * early_slots * slot_size;
  [[maybe_unused]] std::uint64_t* const arrived =
      reinterpret_cast<std::uint64_t*>(late + 2 * Form::most_groups * slot_size);

  const int lane = threadIdx.x % 32, warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0),
            warps = blockDim.x / 32;
  const Place<Form, cluster, ragged> here(d, warp, lane, blockIdx.x);
  const RowRing<Form, ragged> ring(here);
  const int lx = here.lx, g = here.g, rank = here.rank, lanes = here.lanes;
  const bool odd = here.odd, active = here.active;
  const int missing = ragged ? here.rows.missing : 0;
  const int steps = turns.steps_of(here.turn);

  // Seams. At the plane's own wrap the first group of the first block meets the last of the last.
  const int beside = odd ? g + 1 : g - 1;
  const bool wraps = beside < 0 || beside >= d.groups;
  const bool remote = cluster && wraps;
  [[maybe_unused]] const bool warp_remote = cluster && (warp == 0 || warp == warps - 1);
  const int early_partner = beside < 0 ? d.groups - 1 : beside >= d.groups ? 0 : beside;
  const int my_first = Row::first(lx);
  T* const early_there = early + early_partner * slot_size + my_first;  // in whichever block
  T* const early_to =
      remote ? early + (Form::most_groups + (odd ? 1 : 0)) * slot_size + my_first : early_there;
  const T* const early_from = early + g * slot_size + my_first;
  T* const late_to = late + (g ^ 1) * slot_size + my_first;
  const T* const late_from = late + g * slot_size + my_first;
  [[maybe_unused]] std::uint32_t remote_rows = 0, remote_arrived = 0;
  [[maybe_unused]] const std::uint32_t my_arrived = shared_address(arrived + (warp == 0 ? 0 : 2));
  [[maybe_unused]] const std::uint32_t bytes = 2u * unsigned(lanes) * C * unsigned(sizeof(T));
#if PARITY_ON_HOPPER
  if constexpr (has_clusters) {
    const int there = odd ? (rank + 1) % d.blocks : (rank + d.blocks - 1) % d.blocks;
    remote_rows = address_in_block(shared_address(early_there), unsigned(there));
    remote_arrived = address_in_block(shared_address(arrived + (odd ? 0 : 2)), unsigned(there));
    if (threadIdx.x < 4) barrier_init(shared_address(arrived + threadIdx.x), 1);
    barrier_init_visible();
    __syncwarp();
    cluster_barrier();
  }
#endif

  T v[R][C], early_row[2][C], late_row[2][C];

  // Row n of the early seam to another block, 'at' in the slots there.
  [[maybe_unused]] const auto send_there = [&](int n, int at, int slot, bool sends) {
#if PARITY_ON_HOPPER
    using A = Access<T, C>;
#pragma unroll
    for (int a = 0; a < A::count; ++a) {
      const std::uint32_t to = remote_rows + (at + Row::access(a)) * int(sizeof(T));
      store_async_if<A::width>(to, &v[n][a * A::width], remote_arrived + slot * 8, sends);
    }
#endif
  };
  const auto send_early = [&](int slot, bool more) {
    const auto at = [=](int n) { return slot * early_slots * slot_size + n * Row::size; };
    if (has_clusters && Form::sends_together && remote && more) {
#pragma unroll
      for (int n = 0; n < 2; ++n) send_there(n, at(n), slot, active);
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      if constexpr (has_clusters && !Form::sends_together)
        send_there(n, at(n), slot, remote && more && active);
      Row::write(v[n], early_to + at(n));  // one for another block: to a slot that nobody reads
    }
  };
  const auto receive_early = [&](int slot, int step) {
#if PARITY_ON_HOPPER
    if constexpr (has_clusters) {
      if (warp_remote && step < steps) {
        barrier_expect_if(my_arrived + slot * 8, bytes, lane == 0);
        barrier_wait(my_arrived + slot * 8, unsigned(step >> 1) & 1u);
      }
    }
#endif
#pragma unroll
    for (int n = 0; n < 2; ++n)
      Row::read(early_row[n], early_from + slot * early_slots * slot_size + n * Row::size);
  };
  const auto send_late = [&](int slot) {
    T* const to = late_to + slot * Form::most_groups * slot_size;
    const auto send = [&](auto skipped) {
      constexpr int last = R - 1 - decltype(skipped)::value;
      Row::write(v[last], to);
      Row::write(v[last - 1], to + Row::size);
    };
    if constexpr (!ragged) {
      send(std::integral_constant<int, 0>());
    } else {
      // A partner with fewer rows has my first ones as its last.
      switch (missing) {
        case 0:
          send(std::integral_constant<int, 0>());
          break;
        case 1:
          send(std::integral_constant<int, 1>());
          break;
        case 2:
          send(std::integral_constant<int, 2>());
          break;
        default:
          if constexpr (Form::shape.most_short_rows() > 1) {
            if (missing == 3)
              send(std::integral_constant<int, 3>());
            else
              send(std::integral_constant<int, 4>());
          }
      }
    }
  };
  const auto receive_late = [&](int slot) {
#pragma unroll
    for (int n = 0; n < 2; ++n)
      Row::read(late_row[n], late_from + slot * Form::most_groups * slot_size + n * Row::size);
  };
  const SeamBarriers<Form> seams(warp, warps, odd, remote);

  const auto step = [&](auto scaling, int s) {
    constexpr bool scales = decltype(scaling)::value;
    const int slot = s & 1, next = slot ^ 1;
    const auto phi = [&](int k, int i) -> T {
      return k == -2      ? early_row[1][i]
             : k == -1    ? early_row[0][i]
             : k == R     ? late_row[0][i]
             : k == R + 1 ? late_row[1][i]
                          : v[k < 0 || k >= R ? 0 : k][i];
    };
    // Index + 1 or + 2, because rows -1 and -2 belong to the neighbour. All indices are constants after
    // unrolling, so that these are registers of the rows at work.
    T lap[R + 2][C], pair[R + 4][C + 1], lap_pair[R + 1][C + 1];
    pair[0][0] = pair_sum(ring.from_left(phi(-1, C - 1), phi(-1, C - 2)), phi(-2, 0));
#pragma unroll
    for (int i = 1; i < C; ++i) pair[0][i] = pair_sum(phi(-1, i - 1), phi(-2, i));
#pragma unroll
    for (int k = -1; k <= R; ++k) {
      if (k == middle) seams.meet();
      if (k == late_read) receive_late(slot);
      if (read_ahead && k == R) receive_early(next, s + 1);
      pair[k + 2][0] = pair_sum(ring.from_left(phi(k + 1, C - 1), phi(k + 1, C - 2)), phi(k, 0));
      pair[k + 2][C] = hand_pairs ? ring.of_right(pair[k + 2][0])
                                  : pair_sum(phi(k + 1, C - 1), ring.from_right(phi(k, 0), phi(k, 1)));
#pragma unroll
      for (int i = 1; i < C; ++i) pair[k + 2][i] = pair_sum(phi(k + 1, i - 1), phi(k, i));
#pragma unroll
      for (int i = 0; i < C; ++i)
        lap[k + 1][i] = Step::laplacian(phi(k, i), pair[k + 1][i], pair[k + 2][i + 1]);
      if (k >= 0) {
        lap_pair[k][0] = pair_sum(ring.from_left(lap[k + 1][C - 1], lap[k + 1][C - 2]), lap[k][0]);
        lap_pair[k][C] = hand_pairs ? ring.of_right(lap_pair[k][0])
                                    : pair_sum(lap[k + 1][C - 1], ring.from_right(lap[k][0], lap[k][1]));
#pragma unroll
        for (int i = 1; i < C; ++i) lap_pair[k][i] = pair_sum(lap[k + 1][i - 1], lap[k][i]);
      }
      if (k >= 1) {
#pragma unroll
        for (int i = 0; i < C; ++i) {
          const T before = lap_pair[k - 1][i], after = lap_pair[k][i + 1];
          v[k - 1][i] = Step::template update<scales>(v[k - 1][i], alpha, lap[k][i], before, after);
        }
      }
      if (k == sent_early) send_early(next, s + 1 < steps);
      if (k == R) {
        send_late(next);
        if (!read_ahead) receive_early(next, s + 1);
      }
    }
  };

  using Side = RowSideBySide<T, C, lanes_here>;
  constexpr bool side_by_side = Side::pays && !ragged;
  // What is sent late in the first step comes there after a meeting, what was in the last one is read.
  constexpr int through_slot = Form::most_groups * slot_size;
  const std::size_t plane_size = std::size_t(d.ny) * d.pitch;
  const T* const source = (turns.begins(here.turn) ? in : out) + turns.plane(here.turn) * plane_size;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if constexpr (side_by_side)
      Side::read(v[r], source + here.row(r), lx);
    else
      here.load(v[r], source + here.row(r));
  }
  if constexpr (side_by_side) {
#pragma unroll
    for (int r = 0; r < R; ++r) Side::to_owners(v[r], late + g * slot_size + through_slot, lx);
  }
  send_early(0, steps > 0);
  send_late(0);
#if PARITY_ON_HOPPER
  // Copies of a neighbour's rows are loaded before that one writes its own.
  if constexpr (has_clusters && ragged)
    cluster_barrier();
  else
#endif
    __syncthreads();
  receive_early(0, 0);
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    if (deferred && s % Scaled::steps == Scaled::steps - 1)
      step(std::true_type(), s);
    else
      step(std::false_type(), s);
  }
  const auto there = here.again(d);
  const int taken = turns.steps_of(there.turn);
  T* const target = out + turns.plane(there.turn) * plane_size;
  const T factor = deferred ? Scaled::factor(taken % Scaled::steps) : T(1);
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (there.is_copy(r)) break;
    if constexpr (deferred) {
#pragma unroll
      for (int i = 0; i < C; ++i) v[r][i] *= factor;
    }
    if constexpr (side_by_side) {
      Side::from_owners(v[r], late + there.g * slot_size + (taken & 1 ? 0 : through_slot), there.lx);
      Side::write(v[r], target + there.row(r), there.lx);
    } else {
      there.store(v[r], target + there.row(r));
    }
  }
}

}  // namespace parity::cuda

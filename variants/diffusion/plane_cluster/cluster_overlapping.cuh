// SPDX-License-Identifier: BSD-3-Clause
// plane_cluster, CUDA: the kernel of planes that cluster_handing_over of cuda.cu does not handle, mainly
// ragged ones. Groups, seams and rows for another block are as there.
//
// A plane that does not fill all lanes and rows ('ragged') is distributed evenly: some lanes have one column
// fewer than others, some groups up to two rows fewer. In place of the missing ones they hold and compute
// copies of the neighbour's first column or of its rows.
#pragma once
#include <type_traits>

#include "backend/cuda/diffusion/plane_launch.cuh"
#include "backend/cuda/hopper.cuh"

namespace parity::cuda {

template <class T, class Form>
using ClusterRow = SharedRow<T, Form::config.columns, 32>;
/// Bytes of shared memory: slots of cluster_overlapping, and barriers; enough for both kernels.
template <class T, class Form>
constexpr int cluster_bytes = (4 * Form::config.most_groups() + 4) *
                                  2 * ClusterRow<T, Form>::size* int(sizeof(T)) +
                              64;
/// True if rows for another block are sent at once, behind one branch, else access by access: by measurement.
template <class T, class Form>
constexpr bool sends_together = sizeof(T) == 8 || Form::config.rows > 8;

/// A constant: true in the code of warps whose early seam leads to another block, false in that of others.
template <bool edge>
struct AtEdge {
  __device__ __forceinline__ constexpr operator bool() const { return edge; }
};

/// Both sides of a seam compute the Laplacian beyond it from two rows that are handed over. Rows sent early
/// are needed when the next sweep starts, rows sent late when it ends: every exchange has a whole sweep to
/// arrive, and one barrier in mid-sweep orders all.
/// deferred: DeferredScale, for alpha = 1/32. Grid: blocks of a plane x turns of the launch.
template <class T, class Form, bool ragged, bool deferred>
__global__ void __launch_bounds__(Form::config.threads, 1)
    cluster_overlapping(const T* in, T* out, PlaneDivision d, T alpha, TurnsOfLaunch turns) {
#if PARITY_ON_HOPPER
  using Row = ClusterRow<T, Form>;
  using A = Access<T, Form::config.columns>;
  using Scaled = DeferredScale<T>;
  using Step = PairStep<T, deferred>;
  constexpr int R = Form::config.rows, C = Form::config.columns, most_groups = Form::config.most_groups();
  constexpr int slot_size = 2 * Row::size, early_slots = most_groups + 2;
  constexpr int sent_early = 2, middle = R / 2 + 1;
  static_assert(sent_early < middle && middle < R, "what is sent is read after a meeting");
  constexpr bool hand_pairs = C >= 16 && !ragged;
  // In double, warps at a block's edge have code of their own, and a deferred scale is applied between steps,
  // not in a second copy of the step: 8 % faster at 128 x 128. In float the scale between steps was slower.
  constexpr bool in_double = deferred && !ragged && sizeof(T) == 8;
  static_assert(!in_double || Form::config.pairwise, "a barrier of the block would stand in two codes");

  extern __shared__ __align__(16) unsigned char memory[];
  T* const early = reinterpret_cast<T*>(memory);
  T* const late = early + 2 * early_slots * slot_size;
  std::uint64_t* const arrived = reinterpret_cast<std::uint64_t*>(late + 2 * most_groups * slot_size);

  const int lane = threadIdx.x % 32, warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0),
            warps = blockDim.x / 32;
  const Place<Form, true, ragged> here(d, warp, lane, blockIdx.x);
  const RowRing<Form, ragged> ring(here);
  const int lx = here.lx, g = here.g, rank = here.rank, lanes = here.lanes;
  const bool odd = here.odd, active = here.active;
  const int missing = ragged ? here.rows.missing : 0;
  const int steps = turns.steps_of(here.turn);

  // Seams. At the plane's periodic wrap, the first group of the first block meets the last of the last block.
  const int beside = odd ? g + 1 : g - 1;
  const bool remote = beside < 0 || beside >= d.groups;
  // Equal to 'remote'. With it ptxas schedules the steps in float better: 4 % at 128 x 128.
  const bool warp_remote = warp == 0 || warp == warps - 1;
  const int early_partner = beside < 0 ? d.groups - 1 : beside >= d.groups ? 0 : beside;
  const int my_first = Row::first(lx);
  T* const early_there = early + early_partner * slot_size + my_first;  // in either block
  T* const early_to = remote ? early + (most_groups + (odd ? 1 : 0)) * slot_size + my_first : early_there;
  const T* const early_from = early + g * slot_size + my_first;
  T* const late_to = late + (g ^ 1) * slot_size + my_first;
  const T* const late_from = late + g * slot_size + my_first;
  const std::uint32_t my_arrived = shared_address(arrived + (warp == 0 ? 0 : 2));
  const std::uint32_t bytes = 2u * unsigned(lanes) * C * unsigned(sizeof(T));
  const int there_rank = odd ? (rank + 1) % d.blocks : (rank + d.blocks - 1) % d.blocks;
  const std::uint32_t remote_rows = address_in_block(shared_address(early_there), unsigned(there_rank));
  const std::uint32_t remote_arrived =
      address_in_block(shared_address(arrived + (odd ? 0 : 2)), unsigned(there_rank));
  if (threadIdx.x < 4) barrier_init(shared_address(arrived + threadIdx.x), 1);
  barrier_init_visible();
  __syncwarp();
  cluster_barrier();

  T v[R][C], early_row[2][C], late_row[2][C];

  // Sends row n over the early seam to another block, to 'at' in its slots.
  const auto send_there = [&](int n, int at, int slot, bool sends) {
#pragma unroll
    for (int a = 0; a < A::count; ++a) {
      const std::uint32_t to = remote_rows + (at + Row::access(a)) * int(sizeof(T));
      store_async_if<A::width>(to, &v[n][a * A::width], remote_arrived + slot * 8, sends);
    }
  };
  // at_edge: AtEdge or a bool.
  const auto send_early = [&](auto at_edge, int slot, bool more) {
    const auto at = [=](int n) { return slot * early_slots * slot_size + n * Row::size; };
    if (sends_together<T, Form> && at_edge && more) {
#pragma unroll
      for (int n = 0; n < 2; ++n) send_there(n, at(n), slot, active);
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      if constexpr (!sends_together<T, Form>) send_there(n, at(n), slot, at_edge && more && active);
      if (!std::is_same_v<decltype(at_edge), AtEdge<true>>)
        Row::write(v[n], early_to + at(n));  // for another block: to a slot that nobody reads
    }
  };
  const auto receive_early = [&](auto at_edge, int slot, int step) {
    if (at_edge && step < steps) {
      barrier_expect_if(my_arrived + slot * 8, bytes, lane == 0);
      barrier_wait(my_arrived + slot * 8, unsigned(step >> 1) & 1u);
    }
#pragma unroll
    for (int n = 0; n < 2; ++n)
      Row::read(early_row[n], early_from + slot * early_slots * slot_size + n * Row::size);
  };
  const auto send_late = [&](int slot) {
    T* const to = late_to + slot * most_groups * slot_size;
    const auto send = [&](auto skipped) {
      constexpr int last = R - 1 - decltype(skipped)::value;
      Row::write(v[last], to);
      Row::write(v[last - 1], to + Row::size);
    };
    // A partner with fewer rows holds copies of my rows next to the seam as its last.
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
        if constexpr (Form::config.most_short_rows() > 1) {
          if (missing == 3)
            send(std::integral_constant<int, 3>());
          else
            send(std::integral_constant<int, 4>());
        }
    }
  };
  const auto receive_late = [&](int slot) {
#pragma unroll
    for (int n = 0; n < 2; ++n)
      Row::read(late_row[n], late_from + slot * most_groups * slot_size + n * Row::size);
  };
  const SeamBarriers<Form> seams(warp, warps, odd, remote);

  const auto step = [&](auto at_edge, auto edge_of_warp, auto scaling, int s) {
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
    // unrolling, so that these are registers of the current rows.
    T lap[R + 2][C], pair[R + 4][C + 1], lap_pair[R + 1][C + 1];
    pair[0][0] = pair_sum(ring.from_left(phi(-1, C - 1), phi(-1, C - 2)), phi(-2, 0));
#pragma unroll
    for (int i = 1; i < C; ++i) pair[0][i] = pair_sum(phi(-1, i - 1), phi(-2, i));
#pragma unroll
    for (int k = -1; k <= R; ++k) {
      if (k == middle) {
        seams.meet();
        receive_late(slot);
      }
      if (k == R) receive_early(edge_of_warp, next, s + 1);
      pair[k + 2][0] = pair_sum(ring.from_left(phi(k + 1, C - 1), phi(k + 1, C - 2)), phi(k, 0));
      pair[k + 2][C] = hand_pairs ? ring.of_right(pair[k + 2][0])
                                  : pair_sum(phi(k + 1, C - 1), ring.from_right(phi(k, 0), phi(k, 1)));
#pragma unroll
      for (int i = 1; i < C; ++i) pair[k + 2][i] = pair_sum(phi(k + 1, i - 1), phi(k, i));
#pragma unroll
      for (int i = 0; i < C; ++i)
        lap[k + 1][i] = Step::laplacian_at(phi(k, i), pair[k + 1][i], pair[k + 2][i + 1]);
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
      if (k == sent_early) send_early(at_edge, next, s + 1 < steps);
      if (k == R) send_late(next);
    }
  };

  using Side = RowSideBySide<T, C, 32>;
  constexpr bool side_by_side = Side::pays && !ragged;
  // Rows sent late in the first step arrive there after a barrier; those of the last step have been read.
  constexpr int through_slot = most_groups * slot_size;
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
  send_early(remote, 0, steps > 0);
  send_late(0);
  // A group loads its copies of a neighbour's rows before the neighbour writes them.
  if constexpr (ragged)
    cluster_barrier();
  else
    __syncthreads();
  receive_early(warp_remote, 0, 0);
  if constexpr (in_double) {
    const auto advance = [&](auto at_edge) {
#pragma unroll 1
      for (int s = 0; s < steps;) {
        const int end = steps - s > Scaled::steps ? s + Scaled::steps : steps;
        const T factor = Scaled::factor(end - s);
#pragma unroll 1
        for (; s < end; ++s) step(at_edge, at_edge, std::false_type(), s);
        scale_rows(v, early_row, factor);
        send_late(s & 1);
      }
    };
    remote ? advance(AtEdge<true>()) : advance(AtEdge<false>());
  } else {
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
      if (deferred && s % Scaled::steps == Scaled::steps - 1)
        step(remote, warp_remote, std::true_type(), s);
      else
        step(remote, warp_remote, std::false_type(), s);
    }
  }
  const auto there = here.again(d);
  const int taken = turns.steps_of(there.turn);
  T* const target = out + turns.plane(there.turn) * plane_size;
  const T factor = deferred && !in_double ? Scaled::factor(taken % Scaled::steps) : T(1);
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (there.is_copy(r)) break;
    if constexpr (deferred && !in_double) {
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
#endif
}

}  // namespace parity::cuda

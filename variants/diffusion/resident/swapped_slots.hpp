// SPDX-License-Identifier: BSD-3-Clause
// resident, Kokkos: the kernel of planes of 256 columns (in float also 512) that fill teams of eight warps,
// one team per multiprocessor, for alpha = 1/32.
//
// Warps own rows and sweep as in kokkos.cpp. Each seam within a team has two slots in scratch: a warp writes
// to one and reads from the other, and then they swap. A lane next writes where it has just read, so that
// this needs no barrier: rows take one barrier a step, in the scratch of single slots. If the last row is
// handed over with its neighbour's Laplacian, both use one place in turn: two barriers, and half the scratch.
// Eight warps of 8 rows then fit in a team, and half as many messages go to other teams. A team's outer
// warps, which send the messages, have code of their own.
#pragma once
#include "backend/kokkos/diffusion/team.hpp"
#include "mailbox.hpp"
#include "plane_share.hpp"
#include "row_sweep.hpp"
#include "runtime/kokkos/team_hints.hpp"

namespace parity::diffusion::resident {

template <class T, int columns>
struct SwappedSlotPlanes {
  static constexpr SwappedSlotForm form{columns, int(sizeof(T))};
  static constexpr int C = columns, R = form.rows(), W = form.warps, own = W * R;
  static constexpr bool laplacian = form.hands_laplacian();
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<32 * W, 1>>;
  using Member = typename Policy::member_type;
  using Row = PackedRow<T, C>;
  using Box = Message<T, C>;
  using Word = typename Box::Word;
  using Scaled = DeferredScale<T>;

  static constexpr int beside = 32 * Row::width, row = 32 * C, late_slot = laplacian ? row : 2 * row,
                       early_slot = 2 * row, late_size = W * late_slot, slots_size = form.slots_size(),
                       scratch_bytes = form.scratch_bytes();
  static constexpr int nest_steps = form.nest(), half = nest_steps * Box::two_rows;  ///< per half mailbox
  static_assert(2 * half == form.box_words() && Scaled::steps % nest_steps == 0, "scales follow nests");

  // Rows of a sweep at its barriers and reads, and sums that come from the next lane: by measurement.
  static constexpr int hand = sizeof(T) == 4 ? 2 : 1;
  static constexpr int first_meeting = laplacian ? 3 : R / 2 + 1, second_meeting = R - 2;
  static constexpr int read_late = R - 2, read_early = laplacian ? R - 1 : R;
  static constexpr int fetch = sizeof(T) == 4 ? R - 4 : R - 3, take = R - 1;
  static_assert(first_meeting > 2 && first_meeting < read_late, "what is read was written before a meeting");

  const T* in;
  T* out;  ///< a field other than 'in'
  T alpha;
  Word* boxes;  ///< two per team, initially empty
  int planes, at_once, teams, steps;
  int nx = 32 * C;  ///< not constexpr: ptxas then schedules the step with fewer stalls

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    T* const scratch = compat::scratch_of<T>(team, scratch_bytes);
    const int g = runtime::from_lane(team.team_rank() / 32, 0, 32);
    if (g == 0 || g == W - 1)
      advance<true>(team, scratch, g);
    else
      advance<false>(team, scratch, g);
  }

  template <bool outer>
  KOKKOS_INLINE_FUNCTION void advance(const Member& team, T* scratch, int g) const {
    const int lane = team.team_rank() % 32, rank = team.league_rank() % teams;
    const bool odd = g % 2 == 1;
    const int down = odd ? -1 : 1, ny = teams * own;
    // Scratch keeps the offset of the first row: over the steps it would occupy a register.
    int* const parked = reinterpret_cast<int*>(scratch + slots_size) + team.team_rank();
    *parked = (((rank * W + g) * R) + (odd ? R - 1 : 0)) * nx + lane * C;

    T* const mine = scratch + lane * Row::width;
    T *late_to = mine + g * late_slot, *late_from = mine + (g ^ 1) * late_slot;
    const int seam = outer ? 0 : odd ? (g - 1) / 2 : g / 2 - 1;
    T* early_to = mine + late_size + (seam * 2 + (odd ? 0 : 1)) * early_slot;
    T* early_from = mine + late_size + (seam * 2 + (odd ? 1 : 0)) * early_slot;
    const int other = odd ? (rank + 1 < teams ? rank + 1 : 0) : (rank > 0 ? rank - 1 : teams - 1);
    Word* const box_there =
        boxes + std::size_t((team.league_rank() - rank + other) * 2 + (odd ? 0 : 1)) * (2 * half) + lane;
    Word* const box_here = boxes + std::size_t(team.league_rank() * 2 + (odd ? 1 : 0)) * (2 * half) + lane;

    T v[R][C];              // in the order of the sweep
    T early[2][C] = {};     // beyond the first row, from the nearest on
    T late_row[2][C] = {};  // beyond the last
    T late_weight = T(0);   // weight of the Laplacian that the last row still lacks
    const auto left_of = [&](T last, T) { return runtime::from_lane(last, lane - 1, 32); };
    const auto right_of = [&](T first, T) { return runtime::from_lane(first, lane + 1, 32); };
    const auto swap = [](T*& a, T*& b) {
      T* const t = a;
      a = b, b = t;
    };
    const auto add_late_laplacian = [&] {
      T beyond[C];
      Row::read(beyond, late_to, beside);
      PARITY_UNROLL
      for (int i = 0; i < C; ++i) v[R - 1][i] = update(v[R - 1][i], late_weight, beyond[i]);
    };

    // here, there: the places of this step's incoming and outgoing message.
    const auto step = [&](Word* here, Word* there) {
      if (!laplacian) {
        Row::write(late_to, v[R - 1], beside);
        Row::write(late_to + row, v[R - 2], beside);
      }
      RowSweep<T, R, C, true, hand> sweep(early, left_of);
      PARITY_UNROLL
      for (int k = -1; k <= (laplacian ? R - 1 : R); ++k) {
        if (k == first_meeting) {
          compat::team_barrier(team);
          if (laplacian) {
            add_late_laplacian();
            Row::write(late_to, v[R - 1], beside);  // replaces the Laplacian
          }
        }
        if (laplacian && k == second_meeting) compat::team_barrier(team);
        if (k == read_late || (!laplacian && k == read_late + 1))
          Row::read(late_row[k - read_late], late_from + (k - read_late) * row, beside);
        if constexpr (outer) {
          if (k == fetch) Box::fetch(early, here);
          if (k == take) {
            int tries = 0;
            PARITY_UNROLL_BY(1)
            while (runtime::any_lane(!Box::complete(early))) {
              if (++tries == Box::most_tries)
                Kokkos::abort(
                    "kokkos-resident: a team waits for one that is not at work; take another variant");
              Box::fetch(early, here);
            }
            Box::clear(here);
          }
        } else if (k == read_early) {
          PARITY_UNROLL
          for (int a = 0; a < 2; ++a) Row::read(early[a], early_from + a * row, beside);
        }

        sweep.row(k, early, v, late_row, alpha, left_of, right_of);

        if (k == 1 || k == 2) {  // row k - 1 is final
          if constexpr (outer)
            Box::put(v[k - 1], there + (k - 1) * Box::row);
          else
            Row::write(early_to + (k - 1) * row, v[k - 1], beside);
        }
      }
      if (laplacian) {
        // The last row lacks the neighbour's Laplacian until the first barrier of the next step.
        const T lap_right = right_of(sweep.lap[0], sweep.lap[1]);
        Row::write(late_from, sweep.lap, beside);  // replaces the row
        sweep.without_late(v, alpha, lap_right);
        late_weight = T(Scaled::weight);
      } else {
        swap(late_to, late_from);
      }
      swap(early_to, early_from);
    };

    const std::size_t plane_size = std::size_t(ny) * nx;
    int nest = 0;
    PARITY_UNROLL_BY(1)
    for (int plane = team.league_rank() / teams; plane < planes; plane += at_once) {
      int at = *parked, j = at / nx;
      const T* const from = in + plane * plane_size + lane * C;
      PARITY_UNROLL
      for (int r = 0; r < R; ++r) Row::read(v[r], from + (j + r * down) * nx, Row::width);
      PARITY_UNROLL
      for (int a = 0; a < 2; ++a) Row::read(early[a], from + wrap(j - (a + 1) * down, ny) * nx, Row::width);
      if (laplacian) {
        late_weight = T(0);
        T none[C] = {};
        Row::write(late_from, none, beside);
      }
      int left = steps, unscaled = 0;
      PARITY_UNROLL_BY(1)
      while (left > 0) {
        const int some = left < nest_steps ? left : nest_steps;
        Word *here = box_here + (nest ? half : 0), *there = box_there + (nest ? half : 0);
        PARITY_UNROLL_BY(1)
        for (int s = 0; s < some; ++s) {
          step(here, there);
          if constexpr (outer) here += Box::two_rows, there += Box::two_rows;
        }
        left -= some;
        nest ^= 1;
        unscaled += some;
        if constexpr (outer) Kokkos::memory_fence();  // orders emptying before reuse of the half
        if (unscaled < Scaled::steps && left > 0) continue;
        const T factor = Scaled::factor(unscaled);
        unscaled = 0;
        scale(v, early, factor);
        late_weight *= factor;
      }
      if (laplacian) {
        compat::team_barrier(team);
        add_late_laplacian();
        compat::team_barrier(team);  // before the next plane's first Laplacian overwrites the place
      }
      at = *parked;
      T* const to = out + plane * plane_size + at;
      PARITY_UNROLL
      for (int r = 0; r < R; ++r) Row::write(to + r * down * nx, v[r], Row::width);
    }
  }
};

}  // namespace parity::diffusion::resident

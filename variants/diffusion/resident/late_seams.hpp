// SPDX-License-Identifier: BSD-3-Clause
// resident, Kokkos: the kernel of planes of 128 columns and 64 rows per team, shared by at least two teams.
//
// Groups of 32 lanes own rows and sweep as in kokkos.cpp, but the seams between teams are late ones: a row
// leaves when a sweep ends and is needed when the next one ends. Through the L2 cache it takes 0.4 us, about
// a step of such a plane. In float, a team's outer warps also compute two rows of the other team, so that
// their message leaves four rows before the sweep ends. They have code of their own and fewer rows; inner
// warps have no message in their code.
//
// Polling a message before it has arrived costs a second poll, 0.3 us; polling it later than needed costs
// waiting. ptxas moves the poll down, unless it is in a loop.
#pragma once
#include "backend/kokkos/diffusion/team.hpp"
#include "mailbox.hpp"
#include "plane_share.hpp"
#include "row_sweep.hpp"
#include "runtime/kokkos/team_hints.hpp"

namespace parity::diffusion::resident {

/// deferred: DeferredScale, for alpha = 1/32.
template <class T, bool deferred>
struct LateSeamPlanes {
  using F = LateSeamForm<T, deferred>;
  static constexpr int C = F::columns, W = F::warps, along = F::along, meetings = F::meetings, nx = 32 * C,
                       own = F::rows();
  static_assert(F::outer - 2 - 2 * along >= 0 && W % 2 == 0, "rows that are sent are an outer warp's");
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<32 * W, 1>>;
  using Member = typename Policy::member_type;
  using Box = NestMailbox<T, C>;
  using Word = typename Box::Word;
  using Scaled = DeferredScale<T>;
  static_assert(Box::steps == Scaled::steps, "a nest ends where the scale is applied");

  using Row = PackedRow<T, C>;
  static constexpr int width = Row::width, beside = 32 * width, row = 32 * C;
  // Slots of two rows: early ones for all warps, late ones for the inner warps.
  static constexpr int slots = F::slots(), early_slot = W * 2 * row, late_slot = (W - 2) * 2 * row,
                       slots_size = slots * (early_slot + late_slot), scratch_bytes = F::scratch_bytes();

  const T* in;
  T* out;  ///< a field other than 'in'
  T alpha;
  Word* boxes;  ///< two per team, initially empty
  int planes, at_once, teams, steps;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    T* const scratch = compat::scratch_of<T>(team, scratch_bytes);
    const int g = runtime::from_lane(team.team_rank() / 32, 0, 32);
    if (g == 0 || g == W - 1)
      advance<F::outer, true>(team, scratch, g);
    else
      advance<F::inner, false>(team, scratch, g);
  }

  /// Advances warp g, which has R rows.
  template <int R, bool outer>
  KOKKOS_INLINE_FUNCTION void advance(const Member& team, T* scratch, int g) const {
    // Rows before which the sweep has its barriers, reads and waits.
    constexpr int middle = R / 2 + (meetings == 1 ? 1 : 0), second = R - 1;
    constexpr int read_late = R - 2 < middle ? middle : R - 2, read_early = meetings == 1 ? R : R - 2,
                  take = R - 1;
    static_assert(middle > 2 && middle < R - 1, "what is written is read after a meeting");
    const int lane = team.team_rank() % 32, rank = team.league_rank() % teams,
              first_plane = team.league_rank() / teams;
    const bool odd = g % 2 == 1, high = g == W - 1;
    const int ny = teams * own, down = odd ? 1 : -1;
    // Scratch keeps the offset of the first row: over the steps it would occupy a register.
    int* const parked = reinterpret_cast<int*>(scratch + slots_size) + team.team_rank();
    *parked =
        (rank * own + (g == 0 ? -along : F::outer - along + (g - 1) * F::inner) + (odd ? 0 : R - 1)) * nx +
        lane * C;

    const int before = odd ? g - 1 : g + 1, behind = odd ? g + 1 : g - 1;  // warps beyond the seams
    T* const early_to = scratch + lane * width + before * 2 * row;
    const T* const early_from = scratch + lane * width + g * 2 * row;
    T* const late_to = scratch + slots * early_slot + lane * width + (behind - 1) * 2 * row;
    const T* const late_from = scratch + slots * early_slot + lane * width + (g - 1) * 2 * row;
    const int other = high ? (rank + 1 < teams ? rank + 1 : 0) : (rank > 0 ? rank - 1 : teams - 1);
    Word* const box_there = boxes + ((first_plane * teams + other) * 2 + (high ? 0 : 1)) * Box::size + lane;
    Word* const box_here = boxes + (team.league_rank() * 2 + (high ? 1 : 0)) * Box::size + lane;

    T v[R][C] = {};      // in the order of the sweep
    T early[2][C] = {};  // beyond the first row, from the nearest on
    T late[2][C] = {};   // beyond the last
    int slot = 0, nest = 0;
    unsigned tries = 0;  // failed polls
    const auto left_of = [&](T last, T) { return runtime::from_lane(last, lane - 1, 32); };
    const auto right_of = [&](T first, T) { return runtime::from_lane(first, lane + 1, 32); };
    const auto send = [&](Word* to) {
      Box::put(v[R - 1 - 2 * along], to);
      Box::put(v[R - 2 - 2 * along], to + Box::row);
    };
    const auto fetch = [&](Word* from) {
      if constexpr (F::fetches_in_loop) {
        PARITY_UNROLL_BY(1)
        do Box::fetch(late, from);
        while (tries == ~0u);  // never true: the loop runs once
      } else {
        Box::fetch(late, from);
      }
    };
    const auto wait = [&](Word* from) {
      const unsigned first = tries;
      PARITY_UNROLL_BY(1)
      while (runtime::any_lane(!Box::complete(late))) {
        tries = (tries + 1) & (~0u >> 1);
        if (((tries - first) & (~0u >> 1)) == Box::most_tries)
          Kokkos::abort("kokkos-resident: a team waits for one that is not at work; take another variant");
        Box::fetch(late, from);
      }
      Box::clear(from);
    };

    // here: the place of this step's message; there: the neighbour's place for the next step's message.
    const auto step = [&](Word* here, Word* there) {
      const int early_at = slots == 2 ? slot * early_slot : 0, late_at = slots == 2 ? slot * late_slot : 0;
      if constexpr (!outer) {
        Row::write(late_to + late_at, v[R - 1], beside);
        Row::write(late_to + late_at + row, v[R - 2], beside);
      }
      RowSweep<T, R, C, deferred, 0> sweep(early, left_of);
      PARITY_UNROLL
      for (int k = -1; k <= R; ++k) {
        if (k == middle) compat::team_barrier(team);
        if constexpr (outer) {
          if (k == F::fetch) fetch(here);
        } else if (k == read_late || k == read_late + 1) {
          Row::read(late[k == read_late ? 0 : 1], late_from + late_at + (k == read_late ? 0 : row), beside);
        }
        if (k == read_early) {
          PARITY_UNROLL
          for (int a = 0; a < 2; ++a) Row::read(early[a], early_from + early_at + a * row, beside);
        }
        if (meetings == 2 && k == second) compat::team_barrier(team);
        if (outer && k == take) wait(here);

        sweep.row(k, early, v, late, alpha, left_of, right_of);
        if (outer && k == R - 2 * along) send(there);  // both rows are final
        if (k == 1 || k == 2) Row::write(early_to + early_at + (k - 1) * row, v[k == 1 ? 0 : 1], beside);
      }
      slot ^= 1;
    };

    const std::size_t plane_size = std::size_t(ny) * nx;
    PARITY_UNROLL_BY(1)
    for (int plane = first_plane; plane < planes; plane += at_once) {
      {
        const T* const from = in + plane * plane_size;
        const int at = *parked, first = at / nx;
        const auto load = [&](T(&to)[C], int j) { Row::read(to, from + wrap(j, ny) * nx + lane * C, width); };
        PARITY_UNROLL
        for (int r = 0; r < R; ++r) load(v[r], first + r * down);
        PARITY_UNROLL
        for (int a = 0; a < 2; ++a) load(early[a], first - (a + 1) * down);
      }
      int left = steps;
      PARITY_UNROLL_BY(1)
      while (left > 0) {
        const int some = left < Box::steps ? left : Box::steps, at = Box::first(nest, some);
        Word *here = box_here + at, *there = box_there + at;
        if constexpr (outer) send(there);  // the first message leaves after the scale has been applied
        PARITY_UNROLL_BY(1)
        for (int s = 0; s < some; ++s, here += Box::two_rows, there += Box::two_rows)
          step(here, there + Box::two_rows);
        left -= some;
        nest ^= 1;
        if constexpr (outer) Kokkos::memory_fence();  // orders emptying before reuse of the half
        if constexpr (deferred) scale(v, early, Scaled::factor(some));
      }
      T* const to = out + plane * plane_size;
      const int at = *parked;
      PARITY_UNROLL
      for (int r = 0; r < (outer ? R - along : R); ++r) Row::write(to + (at + r * down * nx), v[r], width);
    }
  }
};

}  // namespace parity::diffusion::resident

// SPDX-License-Identifier: BSD-3-Clause
// resident, Kokkos: how planes are shared out among teams that are all at work at the same time: which form,
// how many teams.
#pragma once
#include <algorithm>
#include <limits>

#include "backend/kokkos/diffusion/register_tile.hpp"
#include "diffusion/problem.hpp"

namespace parity::diffusion {

/// What the compiler knows of the kernel: rows x columns of a thread, threads of a team at most, and teams
/// that a multiprocessor has registers for.
struct StripConfig {
  int rows, columns, threads, teams;
};

/// How planes are shared out.
struct StripCut {
  int nx, ny, nz;
  int teams;    ///< of a plane
  int planes;   ///< at work at the same time
  int period;   ///< steps from one exchange to the next
  int below;    ///< rows of a tile before the strip's first
  int lanes;    ///< of a ring
  int rings;    ///< of a team, an even number
  int buffers;  ///< for edges
  int steps;

  /// Rows that a neighbour sends: each step spoils two. 0 in a plane that fills its only team.
  PARITY_INLINE int margin() const { return below > 0 ? 2 * period : 0; }
  /// Exchanges of one plane, the end included.
  PARITY_INLINE int exchanges() const { return steps / period; }
  PARITY_INLINE int batches() const { return (nz + planes - 1) / planes; }
  /// Words that the teams hand each other, where a lane has so many a row.
  std::int64_t words(int words_a_row) const {
    return std::int64_t(2) * planes * teams * 2 * margin() * words_a_row * 32;
  }
};

/// What the machine has room for.
struct StripRoom {
  int multiprocessors;
  std::int64_t scratch_of_team, scratch_of_multiprocessor;
};

/// A form's number, -1 where none can, and how it shares out planes. cost: to compare with others'.
struct StripPlan {
  int form = -1, threads = 0;
  StripCut cut{};
  double cost = std::numeric_limits<double>::infinity();
};

/// How teams of a form share planes of values of so many bytes, 'teams' a plane; its cost is infinite if they
/// cannot.
inline StripPlan plan_strips(const StripConfig& form, int value_bytes, const Problem& p, int period,
                             int teams, const StripRoom& room) {
  const int rows = form.rows, columns = form.columns, reach = 2 * rows - 2;
  const StripPlan none{};
  StripPlan plan;
  StripCut& cut = plan.cut;
  cut.nx = int(p.nx), cut.ny = int(p.ny), cut.nz = int(p.nz);
  cut.steps = int(p.steps);
  cut.teams = teams;
  cut.lanes = (cut.nx + columns - 1) / columns;
  if (cut.lanes > 32 || cut.nx < cut.lanes * (columns - 1)) return none;
  const int least = cut.ny / teams, most = (cut.ny + teams - 1) / teams;
  if (least < 4) return none;
  cut.period = std::min(period, least / 4);  // no row belongs to both neighbours
  if (teams == 1 && cut.ny % (2 * rows) == 0) {
    cut.rings = cut.ny / rows;
    cut.below = 0;
  } else {
    const int margin = 2 * cut.period;
    cut.rings = (most + 2 * margin + 2 * rows - 1) / (2 * rows) * 2;
    cut.below = (rows * cut.rings - most) / 2;
    // Rows that are taken afresh must not be those that a ring has handed on early.
    if (cut.below > reach || rows * cut.rings - cut.below - least > reach) return none;
  }
  plan.threads = (TilePlace::ring_width(cut.lanes) * cut.rings + 31) / 32 * 32;
  if (plan.threads > form.threads) return none;
  const std::int64_t bytes = std::int64_t(4) * columns * cut.lanes * cut.rings * value_bytes;
  const auto fits = [&](int buffers) {
    const std::int64_t all = buffers * bytes + 16;
    return all <= room.scratch_of_team && form.teams * (all + 2048) <= room.scratch_of_multiprocessor;
  };
  cut.buffers = fits(2) ? 2 : 1;
  if (!fits(cut.buffers)) return none;
  const std::int64_t resident = std::int64_t(room.multiprocessors) * form.teams / teams;
  if (resident == 0) return none;
  cut.planes = int(std::min<std::int64_t>(resident, p.nz));
  const int batches = cut.batches();
  cut.planes = (cut.nz + batches - 1) / batches;
  // Clocks a step: four schedulers share the warps, of each thread's rows one or two more are computed; a
  // step has a barrier, and an exchange takes as long as memory does.
  const int at_work =
                std::min(form.teams, (cut.planes * teams + room.multiprocessors - 1) / room.multiprocessors),
            warps = (plan.threads / 32 * at_work + 3) / 4;
  const double points = double(warps) * (rows + 1.5) * columns,
               clocks = points * (value_bytes == 4 ? 9.5 : 21) + (cut.buffers == 2 ? 150 : 250) +
                        (cut.below > 0 ? 1200.0 / (cut.period * form.teams) : 0.0);
  plan.cost = batches * clocks;
  return plan;
}

/// The fastest way with any of some forms.
template <int n>
StripPlan best_strips(const StripConfig (&forms)[n], int value_bytes, const Problem& p, int period,
                      const StripRoom& room) {
  StripPlan best;
  for (int f = 0; f < n; ++f) {
    const std::int64_t most = std::min<std::int64_t>(std::max<std::int64_t>(1, p.ny / 4),
                                                     std::int64_t(room.multiprocessors) * forms[f].teams);
    for (int teams = 1; teams <= int(most); ++teams) {
      StripPlan plan = plan_strips(forms[f], value_bytes, p, period, teams, room);
      if (plan.cost >= best.cost) continue;
      best = plan;
      best.form = f;
    }
  }
  return best;
}

}  // namespace parity::diffusion

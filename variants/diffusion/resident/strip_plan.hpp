// SPDX-License-Identifier: BSD-3-Clause
// How planes are shared out among teams that are all at work at the same time: which form, how many teams.
#pragma once
#include <algorithm>
#include <limits>
#include <tuple>

#include "diffusion/problem.hpp"
#include "resident_strip.hpp"

namespace parity::diffusion {

/// rows x columns of a thread, threads of a team at most, and teams that a multiprocessor has registers for.
template <int rows_, int columns_, int threads_, int teams_>
struct ResidentStripForm {
  static constexpr int rows = rows_, columns = columns_, threads = threads_, teams = teams_;
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

/// How teams of a form share planes, 'teams' a plane; its cost is infinite where they cannot.
template <class Form, class T>
StripPlan plan_strips(const Problem& p, int period, int teams, const StripRoom& room) {
  constexpr int rows = Form::rows, columns = Form::columns, reach = 2 * rows - 2;
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
  if (plan.threads > Form::threads) return none;
  using Tile = SweptTile<T, rows, columns>;
  const std::int64_t bytes =
      std::int64_t(Tile::edge_parts(cut.lanes, cut.rings)) * std::int64_t(sizeof(typename Tile::Part));
  const auto fits = [&](int buffers) {
    const std::int64_t all = buffers * bytes + 16;
    return all <= room.scratch_of_team && Form::teams * (all + 2048) <= room.scratch_of_multiprocessor;
  };
  cut.buffers = fits(2) ? 2 : 1;
  if (!fits(cut.buffers)) return none;
  const std::int64_t resident = std::int64_t(room.multiprocessors) * Form::teams / teams;
  if (resident == 0) return none;
  cut.planes = int(std::min<std::int64_t>(resident, p.nz));
  const int batches = cut.batches();
  cut.planes = (cut.nz + batches - 1) / batches;
  // Clocks a step: four schedulers share the warps, of each thread's rows one or two more are computed; a
  // step has a barrier, and an exchange takes as long as memory does.
  const int at_work =
                std::min(Form::teams, (cut.planes * teams + room.multiprocessors - 1) / room.multiprocessors),
            warps = (plan.threads / 32 * at_work + 3) / 4;
  const double points = double(warps) * (rows + 1.5) * columns,
               clocks = points * (sizeof(T) == 4 ? 9.5 : 21) + (cut.buffers == 2 ? 150 : 250) +
                        (cut.below > 0 ? 1200.0 / (cut.period * Form::teams) : 0.0);
  plan.cost = batches * clocks;
  return plan;
}

/// The fastest way with any of a tuple of forms.
template <class T, class Forms>
StripPlan best_strips(const Problem& p, int period, const StripRoom& room) {
  StripPlan best;
  int form = 0;
  const auto try_form = [&](auto f) {
    using Form = decltype(f);
    const std::int64_t most = std::min<std::int64_t>(std::max<std::int64_t>(1, p.ny / 4),
                                                     std::int64_t(room.multiprocessors) * Form::teams);
    for (int teams = 1; teams <= int(most); ++teams) {
      StripPlan plan = plan_strips<Form, T>(p, period, teams, room);
      if (plan.cost >= best.cost) continue;
      best = plan;
      best.form = form;
    }
    ++form;
  };
  std::apply([&](auto... forms) { (try_form(forms), ...); }, Forms());
  return best;
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// Division of a plane into rows and columns over groups of lanes that keep it in registers.
#pragma once
#include <algorithm>

#include "host_device.hpp"
#include "runtime/share.hpp"

namespace parity::cuda {

/// Compile-time configuration of a kernel that keeps planes in registers. A lane has rows x columns points;
/// only ragged planes may have an odd number of rows.
struct PlaneConfig {
  int rows, columns;
  int lanes = 32;        ///< lanes of a group, 16 or 32; a ragged plane may leave some idle
  int threads = 256;     ///< maximum threads of a block
  bool pairwise = true;  ///< warps synchronise in pairs, not as a block

  PARITY_INLINE constexpr int groups_a_warp() const { return 32 / lanes; }
  PARITY_INLINE constexpr int most_groups() const { return threads / 32 * groups_a_warp(); }
  /// Maximum number of rows that a group may lack. Each one costs a case of the kernel.
  PARITY_INLINE constexpr int most_short_rows() const { return rows >= 8 ? 2 : 1; }
  /// True if ragged planes use DeferredScale, too: larger configurations already take minutes to compile.
  PARITY_INLINE constexpr bool defers_ragged() const { return rows * columns <= 72; }
};

/// Division of a plane; the host computes it.
struct PlaneDivision {
  int nx, ny, pitch;
  int lanes;   ///< per group
  int groups;  ///< per block, an even number; 0 if the plane does not fit
  int blocks;  ///< per plane
};

/// A group's share of the rows, a lane's share of the columns.
using Share = runtime::EvenShare;

/// The rows of group q in a ring of groups. Even groups number their rows downwards, odd ones upwards; groups
/// q and q ^ 1 end at the same seam. Numbers from share.size on are the partner's last rows.
struct GroupRows {
  Share share;
  int ny;
  bool odd;
  int missing;  ///< rows that both groups of a seam lack together: number rows - 1 - missing is the first
                ///< beyond a partner's
  PARITY_INLINE GroupRows(int q, int rows_in_plane, int ring, int rows)
      : share(q, rows_in_plane, ring),
        ny(rows_in_plane),
        odd(q % 2 == 1),
        missing(2 * rows - share.size - Share(q ^ 1, rows_in_plane, ring).size) {}
  /// The plane's row of number r.
  PARITY_INLINE int of_plane(int r) const {
    int j = odd ? share.first + share.size - 1 - r : share.first + r;
    while (j < 0) j += ny;
    while (j >= ny) j -= ny;
    return j;
  }
};

/// Divides a plane of nx x ny points over 'blocks' blocks.
inline PlaneDivision divide_plane(const PlaneConfig& c, int nx, int ny, int pitch, int blocks) {
  PlaneDivision d{nx, ny, pitch, (nx + c.columns - 1) / c.columns, 0, blocks};
  if (d.lanes > c.lanes || nx < d.lanes * (c.columns - 1)) return d;
  const int rows_of_a_group = blocks * c.rows, groups = (ny + rows_of_a_group - 1) / rows_of_a_group,
            even = (groups + 1) / 2 * 2;
  if (even > c.most_groups() || ny / (even * blocks) < c.rows - c.most_short_rows()) return d;
  d.groups = even;
  return d;
}

/// True if a division leaves no lane, group or row idle.
inline bool is_whole(const PlaneConfig& c, const PlaneDivision& d) {
  return d.nx == c.columns * c.lanes && d.ny == d.groups * d.blocks * c.rows;
}

// Planes take turns on a GPU that cannot hold all of them at once. Each plane's steps are divided into parts,
// and each launch takes the next turns of the ring of planes, so that only the last launch leaves the GPU
// partly idle: the wrap-around rule for jobs that can be interrupted (McNaughton, Scheduling with deadlines
// and loss functions, Management Science 6, 1959).

/// Turn t is part t / planes of plane t % planes. The first parts read the input field, all others the result
/// of the previous part.
struct PlaneTurns {
  int planes, parts, steps;  ///< steps: of all parts of a plane together
  int turns() const { return planes * parts; }
  int steps_of(int part) const { return part < parts ? Share(part, steps, parts).size : 0; }
};

/// The turns n = 0, 1, ... of one launch: those before 'after' are of one part, the others of the next part.
/// The host divides, so that the compiler sees that a kernel's loop over steps is uniform over lanes.
struct TurnsOfLaunch {
  int first, planes;  ///< the first turn's plane; number of planes
  int after;
  int steps, steps_after;
  bool starts;  ///< true if the turns before 'after' are of the first part
  TurnsOfLaunch(const PlaneTurns& t, int turn)
      : first(turn % t.planes),
        planes(t.planes),
        after(t.planes - first),
        steps(t.steps_of(turn / t.planes)),
        steps_after(t.steps_of(turn / t.planes + 1)),
        starts(turn < t.planes) {}
  PARITY_INLINE int plane(int n) const { return n < after ? first + n : n - after; }
  PARITY_INLINE bool begins(int n) const { return starts && n < after; }
  PARITY_INLINE int steps_of(int n) const { return n < after ? steps : steps_after; }
};

/// All planes in one launch, even if they are not resident at the same time.
inline PlaneTurns one_turn_each(int planes, int steps) { return {planes, 1, steps}; }

/// The turns of planes of which at_once are resident at a time: the number of parts that minimises the steps
/// of all launches. A launch costs as much as 16 more steps for its start, its loads and its stores: 11
/// according to measured times of one step and of many, which were not kept, the rest for the gap between two
/// launches.
inline PlaneTurns turns_of(int planes, int steps, int at_once) {
  constexpr int most_parts = 32, steps_of_a_launch = 16;
  PlaneTurns best = one_turn_each(planes, steps);
  if (planes <= at_once || at_once < 1 || planes > (1 << 20)) return best;
  const auto cost = [&](int parts) {
    const long long launches = ((long long)(planes)*parts + at_once - 1) / at_once;
    return launches * ((steps + parts - 1) / parts + steps_of_a_launch);
  };
  for (int parts = 2; parts <= most_parts && parts <= steps; ++parts)
    if (cost(parts) < cost(best.parts)) best.parts = parts;
  return best;
}

/// Calls launch(planes, turns) for each launch, if at_once planes fit the GPU at a time.
template <class Launch>
void for_launches(const PlaneTurns& turns, int at_once, const Launch& launch) {
  // Turns of a single part need not be resident at the same time.
  const int a_launch = turns.parts == 1 ? turns.planes : at_once;
  for (int turn = 0; turn < turns.turns(); turn += a_launch)
    launch(unsigned(std::min(a_launch, turns.turns() - turn)), TurnsOfLaunch(turns, turn));
}

}  // namespace parity::cuda

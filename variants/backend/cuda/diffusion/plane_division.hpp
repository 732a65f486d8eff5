// SPDX-License-Identifier: BSD-3-Clause
// How a plane is divided over groups of lanes that keep it in registers: which rows and columns whose are.
#pragma once
#include <algorithm>

#include "host_device.hpp"
#include "runtime/share.hpp"

namespace parity::cuda {

/// What the compiler knows of a kernel that keeps planes in registers. A lane has rows x columns points; an
/// odd number of rows is for ragged planes alone.
struct PlaneConfig {
  int rows, columns;
  int lanes = 32;        ///< of a group, 16 or 32, of which a ragged plane may leave some idle
  int threads = 256;     ///< of a block, at most
  bool pairwise = true;  ///< warps meet in twos and not as a block

  PARITY_INLINE constexpr int groups_a_warp() const { return 32 / lanes; }
  PARITY_INLINE constexpr int most_groups() const { return threads / 32 * groups_a_warp(); }
  /// Rows that a group may have less than others. Each costs a case of the kernel.
  PARITY_INLINE constexpr int most_short_rows() const { return rows >= 8 ? 2 : 1; }
  /// Whether ragged planes have DeferredScale, too: larger forms take minutes to compile as it is.
  PARITY_INLINE constexpr bool defers_ragged() const { return rows * columns <= 72; }
};

/// How a plane is divided, by the host.
struct PlaneDivision {
  int nx, ny, pitch;
  int lanes;   ///< of a group
  int groups;  ///< of a block, an even number; 0 if the plane does not fit
  int blocks;  ///< of a plane
};

/// What a group has of the rows, a lane of the columns.
using Share = runtime::EvenShare;

/// The rows of group q of a ring of groups. Even groups number them downwards, odd ones upwards; groups q and
/// q ^ 1 end at the same seam. Numbers from 'share.size' on are the partner's last rows.
struct GroupRows {
  Share share;
  int ny;
  bool odd;
  int missing;  ///< rows that the two of a seam lack: number rows - 1 - missing is the first beyond a
                ///< partner's
  PARITY_INLINE GroupRows(int q, int rows_in_plane, int ring, int rows)
      : share(q, rows_in_plane, ring),
        ny(rows_in_plane),
        odd(q % 2 == 1),
        missing(2 * rows - share.size - Share(q ^ 1, rows_in_plane, ring).size) {}
  /// The plane's row that number r is.
  PARITY_INLINE int of_plane(int r) const {
    int j = odd ? share.first + share.size - 1 - r : share.first + r;
    while (j < 0) j += ny;
    while (j >= ny) j -= ny;
    return j;
  }
};

/// The division of a plane of nx x ny points over so many blocks.
inline PlaneDivision divide_plane(const PlaneConfig& c, int nx, int ny, int pitch, int blocks) {
  PlaneDivision d{nx, ny, pitch, (nx + c.columns - 1) / c.columns, 0, blocks};
  if (d.lanes > c.lanes || nx < d.lanes * (c.columns - 1)) return d;
  const int rows_of_a_group = blocks * c.rows, groups = (ny + rows_of_a_group - 1) / rows_of_a_group,
            even = (groups + 1) / 2 * 2;
  if (even > c.most_groups() || ny / (even * blocks) < c.rows - c.most_short_rows()) return d;
  d.groups = even;
  return d;
}

/// Whether a division leaves nothing idle.
inline bool is_whole(const PlaneConfig& c, const PlaneDivision& d) {
  return d.nx == c.columns * c.lanes && d.ny == d.groups * d.blocks * c.rows;
}

// Planes take turns on a GPU that cannot hold all of them at once: each plane's steps are cut into parts, and
// launch after launch takes the next turns of the ring of planes, so that only the last launch leaves the GPU
// partly idle: the wrap-around rule for jobs that can be interrupted (McNaughton, Scheduling with deadlines
// and loss functions, Management Science 6, 1959).

/// Turn t is part t / planes of plane t % planes. The first parts read the field that is given, all others
/// what the part before them has written.
struct PlaneTurns {
  int planes, parts, steps;  ///< steps of all parts of a plane
  int turns() const { return planes * parts; }
  int steps_of(int part) const { return part < parts ? Share(part, steps, parts).size : 0; }
};

/// The turns of one launch, n from 0: of one part those before 'after', of the next part the others. The host
/// divides, so that a kernel's loop over steps is seen to be the same for all lanes.
struct TurnsOfLaunch {
  int first, planes;  ///< the first turn's plane, and how many there are
  int after;
  int steps, steps_after;
  bool starts;  ///< the part before 'after' is the first
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

/// So many planes in one launch, whether or not they are at work at a time.
inline PlaneTurns one_turn_each(int planes, int steps) { return {planes, 1, steps}; }

/// The turns of planes of which so many are at work at a time: the number of parts for which all launches
/// together take the fewest steps, where a launch costs some steps more for its start, its loads and its
/// stores: 11 by the times of one step and of many, which were not kept, and some for the gap between two
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

/// Calls launch(planes, turns) for each launch, where so many planes fit the GPU at a time.
template <class Launch>
void for_launches(const PlaneTurns& turns, int at_once, const Launch& launch) {
  // Turns of one part need not all be at work at a time.
  const int a_launch = turns.parts == 1 ? turns.planes : at_once;
  for (int turn = 0; turn < turns.turns(); turn += a_launch)
    launch(unsigned(std::min(a_launch, turns.turns() - turn)), TurnsOfLaunch(turns, turn));
}

}  // namespace parity::cuda

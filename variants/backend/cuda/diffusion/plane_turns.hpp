// SPDX-License-Identifier: BSD-3-Clause
// How planes take turns on a GPU that does not hold all of them at a time: each plane's steps are cut into
// parts, and launch after launch takes the next turns of the ring of planes, so that no launch but the last
// leaves the GPU partly idle. This is the wrap-around rule for jobs that can be interrupted (McNaughton,
// Scheduling with deadlines and loss functions, Management Science 6, 1959).
#pragma once
#include <algorithm>

#include "plane_division.hpp"

namespace parity::cuda {

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

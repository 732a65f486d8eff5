// SPDX-License-Identifier: BSD-3-Clause
// How planes take turns on a GPU that does not hold all of them at a time: each plane's steps are cut into
// parts, and launch after launch takes the next turns of the ring of planes, so that no launch but the last
// leaves the GPU partly idle. This is the wrap-around rule for jobs that can be interrupted (McNaughton,
// Scheduling with deadlines and loss functions, Management Science 6, 1959).
#pragma once
#include "plane_division.hpp"

namespace parity::cuda {

/// Turn t is part t / planes of plane t % planes. The first parts read the field that is given, all others
/// what the part before them has written.
struct PlaneTurns {
  int planes, parts, steps;  ///< steps of all parts of a plane
  int first;                 ///< turn of the launch's first cluster or block
  PARITY_INLINE int plane(int n) const { return (first + n) % planes; }
  PARITY_INLINE bool starts(int n) const { return first + n < planes; }
  PARITY_INLINE int steps_of(int n) const { return Share((first + n) / planes, steps, parts).size; }
  PARITY_INLINE int turns() const { return planes * parts; }
};

/// So many planes in one launch, whether or not they are at work at a time.
inline PlaneTurns one_turn_each(int planes, int steps) { return {planes, 1, steps, 0}; }

/// The turns of planes of which so many are at work at a time: the number of parts for which all launches
/// together take the fewest steps, where a launch costs some steps more for its start, its loads and its
/// stores.
inline PlaneTurns turns_of(int planes, int steps, int at_once) {
  constexpr int most_parts = 32, steps_of_a_launch = 8;
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

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// How planes take turns on a GPU, followed on a host: each plane does all of its steps in order, and none is
// twice in a launch.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "cuda/diffusion/plane_turns.hpp"

namespace {

using namespace parity::cuda;

struct Launched {
  std::vector<int> steps;  ///< of each plane
  bool in_order = true, once_a_launch = true;
  int launches = 0, longest = 0;  ///< of all launches the most steps, added up
};

Launched follow(const PlaneTurns& turns, int at_once) {
  Launched all;
  all.steps.assign(std::size_t(turns.planes), 0);
  for (int turn = 0; turn < turns.turns(); turn += at_once) {
    const TurnsOfLaunch launch(turns, turn);
    std::set<int> planes;
    int longest = 0;
    for (int n = 0; n < std::min(at_once, turns.turns() - turn); ++n) {
      const int plane = launch.plane(n);
      all.once_a_launch &= planes.insert(plane).second;
      int& done = all.steps[std::size_t(plane)];
      all.in_order &= launch.begins(n) == (done == 0);
      done += launch.steps_of(n);
      longest = std::max(longest, launch.steps_of(n));
    }
    ++all.launches;
    all.longest += longest;
  }
  return all;
}

TEST(PlaneTurns, EveryPlaneDoesAllItsStepsInOrderAndOnceALaunch) {
  for (const int planes : {1, 2, 29, 30, 31, 59, 60, 61, 64, 97, 200})
    for (const int steps : {1, 2, 3, 16, 67, 131, 1025})
      for (const int at_once : {1, 7, 15, 30, 33, 66, 132}) {
        const PlaneTurns turns = turns_of(planes, steps, at_once);
        const Launched all = follow(turns, turns.parts == 1 ? planes : at_once);
        EXPECT_TRUE(all.in_order && all.once_a_launch) << planes << " " << steps << " " << at_once;
        for (const int done : all.steps) ASSERT_EQ(done, steps) << planes << " " << at_once;
        if (planes <= at_once || steps == 1) {
          EXPECT_EQ(turns.parts, 1);
        }
      }
}

TEST(PlaneTurns, TheyTakeFewerStepsThanWholePlanesInTurn) {
  const PlaneTurns turns = turns_of(64, 1025, 30);
  const Launched parted = follow(turns, 30), whole = follow(one_turn_each(64, 1025), 30);
  EXPECT_GT(turns.parts, 1);
  EXPECT_EQ(whole.longest, 3 * 1025);
  EXPECT_LT(parted.longest, 1025 * 64 / 30 + 1025 / 10);
}

TEST(PlaneTurns, NoStepsAreOneLaunch) { EXPECT_EQ(turns_of(64, 0, 30).parts, 1); }

}  // namespace

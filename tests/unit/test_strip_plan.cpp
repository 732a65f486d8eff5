// SPDX-License-Identifier: BSD-3-Clause
// Strips of planes in the registers of teams: no grid is larger than the machine, and words carry their
// count.
#include <gtest/gtest.h>

#include "diffusion/resident/strip_plan.hpp"
#include "runtime/counted_words.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using diffusion::StripConfig;
using diffusion::StripCut;

int expect_plans_resident(const StripConfig& form, int value_bytes, const diffusion::StripRoom& room) {
  const int rows = form.rows, reach = 2 * rows - 2;
  const StripConfig forms[] = {form};
  int planned = 0;
  for (const int nx : {3, 16, 100, 128, 250, 256, 512})
    for (int ny = 2; ny < 600; ny += 1 + ny / 40)
      for (const int nz : {1, 64})
        for (const int period : {1, 2, 4, 8}) {
          Problem p;
          p.nx = nx, p.ny = ny, p.nz = nz, p.steps = 9;
          const auto plan = diffusion::best_strips(forms, value_bytes, p, period, room);
          if (plan.form < 0) continue;
          const StripCut& c = plan.cut;
          const int least = ny / c.teams, most = (ny + c.teams - 1) / c.teams, tile = rows * c.rings;
          EXPECT_LE(c.planes * c.teams, room.multiprocessors * form.teams) << describe(p);
          EXPECT_GE(c.planes * c.batches(), nz);
          EXPECT_LE(plan.threads, form.threads);
          EXPECT_EQ(c.rings % 2, 0);
          if (c.margin() > 0) {
            EXPECT_GE(c.below, c.margin()) << describe(p);
            EXPECT_GE(tile - c.below - most, c.margin()) << describe(p);
            EXPECT_LE(c.below, reach);
            EXPECT_LE(tile - c.below - least, reach);
            EXPECT_GE(least, 2 * c.margin());
          } else {
            EXPECT_EQ(tile, ny);
          }
          const std::int64_t bytes =
              std::int64_t(c.buffers) * 4 * c.rings * c.lanes * form.columns * value_bytes;
          EXPECT_LE(bytes, room.scratch_of_team);
          EXPECT_LE(bytes * form.teams, room.scratch_of_multiprocessor);
          ++planned;
        }
  return planned;
}

TEST(StripPlan, NoGridIsLargerThanTheMachine) {
  for (const diffusion::StripRoom& room :
       {diffusion::StripRoom{132, 48 * 1024 - 64, 228 * 1024},
        diffusion::StripRoom{56, 48 * 1024 - 64, 64 * 1024}, diffusion::StripRoom{2, 16 * 1024, 20 * 1024}}) {
    EXPECT_GT(expect_plans_resident({10, 4, 256, 1}, 4, room), 0);
    EXPECT_GT(expect_plans_resident({9, 16, 128, 2}, 4, room), 0);
    EXPECT_GT(expect_plans_resident({8, 4, 256, 1}, 8, room), 0);
  }
}

TEST(CountedWords, CarryAValueOnlyWithItsCount) {
  std::vector<runtime::CountedWord> words(6, 0);
  runtime::put_counted(words.data(), 3, 0.1, 7u);
  double value = 0;
  EXPECT_FALSE(runtime::get_counted(words.data(), 3, value, 6u));
  EXPECT_TRUE(runtime::get_counted(words.data(), 3, value, 7u));
  EXPECT_EQ(value, 0.1);
  for (const int half : {0, 3}) {  // one half of the value is another's
    words[std::size_t(half)] += runtime::CountedWord(1) << 32;
    EXPECT_FALSE(runtime::get_counted(words.data(), 3, value, 7u));
    words[std::size_t(half)] -= runtime::CountedWord(1) << 32;
  }
  runtime::put_counted(words.data(), 1, 0.3f, 8u);
  float single = 0;
  EXPECT_TRUE(runtime::get_counted(words.data(), 1, single, 8u));
  EXPECT_EQ(single, 0.3f);
}

}  // namespace

// SPDX-License-Identifier: BSD-3-Clause
// Division by prepared numbers, the rows of a host's threads, configurations of tuned kernels, strips of
// planes in the registers of teams.
#include <gtest/gtest.h>

#include <vector>

#include "diffusion/problem.hpp"
#include "diffusion/resident/strip_plan.hpp"
#include "diffusion/row_groups.hpp"
#include "diffusion/tile_configs.hpp"
#include "runtime/counted_words.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;
using runtime::FastDivide;

TEST(FastDivide, DividesAtEveryEdge) {
  const std::uint32_t most = std::uint32_t(FastDivide::limit - 1);
  std::vector<std::uint32_t> edges = {0, 1, 2, 3, 5, 7, 10, 641, 1024, 1028, 46341, 65535, 6700417};
  for (int s = 2; s < 32; ++s)
    for (const int d : {-1, 0, 1}) edges.push_back(std::min(most, (std::uint32_t(1) << (s - 1)) + d));
  for (const std::uint32_t n : std::vector<std::uint32_t>(edges)) edges.push_back(most - n);
  for (const std::uint32_t divisor : edges) {
    if (divisor == 0) continue;
    const FastDivide by(divisor);
    EXPECT_EQ(by.divisor(), divisor);
    const auto expect = [&](std::uint32_t n) {
      ASSERT_EQ(by(n), n / divisor) << n << " / " << divisor;
      ASSERT_EQ(by.remainder(n, by(n)), n % divisor) << n << " % " << divisor;
    };
    for (const std::uint32_t n : edges) {
      expect(n);
      // The last number of a quotient and the first of the next one are where a quotient can be off by one.
      const std::uint32_t multiple = n / divisor * divisor;
      expect(multiple);
      if (multiple > 0) expect(multiple - 1);
    }
  }
}

TEST(FastDivide, RefusesOtherDivisors) {
  for (const std::int64_t divisor : {std::int64_t(0), std::int64_t(-1), FastDivide::limit})
    EXPECT_THROW(FastDivide{divisor}, std::out_of_range) << divisor;
}

/// A host's threads share rows, not planes alone: each has work where there are as many rows as threads.
TEST(RowGroups, HaveWorkForEveryThreadAndEveryRowOnce) {
  for (const std::int64_t planes : {1, 2, 5, 64})
    for (const std::int64_t height : {1, 2, 7, 8, 9, 31, 721, 2048})
      for (const int threads : {1, 2, 3, 16, 61, 128}) {
        const RowGroups groups(planes, height, threads);
        std::vector<int> rows(std::size_t(planes * height));
        for (int n = 0; n < int(groups.count()); ++n) {
          const RowGroups::Group g = groups(n);
          ASSERT_LT(g.first, g.last);
          ASSERT_LE(g.last - g.first, groups.rows());
          for (int j = g.first; j < g.last; ++j) ++rows.at(std::size_t(g.plane * height + j));
        }
        EXPECT_EQ(rows, std::vector<int>(rows.size(), 1)) << planes << "x" << height << " on " << threads;
        EXPECT_GE(groups.count(), std::min(planes * height, 4 * std::int64_t(threads)))
            << planes << "x" << height << " on " << threads;
      }
}

TEST(Configs, AreChosenByNameAndRefusedWithTheirList) {
  using Some = Configs<Count<2>, Count<1>, Count<4>>;
  EXPECT_EQ(Some::names(), (std::vector<std::string>{"2", "1", "4"}));
  int chosen = 0;
  Some::dispatch({{4}}, [&](auto config) { chosen = decltype(config)::count; });
  EXPECT_EQ(chosen, 4);
  EXPECT_FALSE(Some::refuse({{1}}).has_value());
  EXPECT_EQ(Some::refuse({{3}}), "it is compiled for 2, 1, 4");
  EXPECT_FALSE((Configs<Tile<2, 4, 64>>::has({{4, 64}}))) << "a block of one point a thread is no tile";
  using Limited = Configs<Tile<4, 2, 64, 1>, Tile<4, 4, 64, 8>, Tile<4, 4, 64>>;
  EXPECT_EQ(Limited::names(), (std::vector<std::string>{"4x2x64x1", "4x4x64x8", "4x4x64"}));
  for (const std::string& name : Limited::names())
    EXPECT_TRUE(harness::parse_tuning(name).has_value()) << name << " cannot be asked for";
  EXPECT_EQ((Tile<4, 2, 64, 1>::least), 0) << "no limit";
}

TEST(Configs, IndicesOf32BitsAreRefusedWhereTheyEnd) {
  Problem p;
  p.nx = 16384, p.ny = 2, p.nz = 30000;
  EXPECT_FALSE(refuse_many_halo_cells(p).has_value());
  p.nz = 40000;
  EXPECT_TRUE(refuse_many_halo_cells(p).has_value());
  EXPECT_TRUE(refuse_large_planes(p).has_value());
  p.nx = 2048, p.ny = 2048, p.nz = 900;
  EXPECT_FALSE(refuse_many_threads(p, {{1}}).has_value());
  p.nz = 1024;
  EXPECT_TRUE(refuse_many_threads(p, {{1}}).has_value());
  EXPECT_FALSE(refuse_many_threads(p, {{2}}).has_value()) << "two rows a thread are half the threads";
}

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

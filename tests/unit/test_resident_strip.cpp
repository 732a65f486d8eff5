// SPDX-License-Identifier: BSD-3-Clause
// Strips of planes in the registers of teams that hand each other rows, by threads of the host: all teams are
// at work at the same time, as on the GPU.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>

#include "diffusion/strip_plan.hpp"
#include "pair_steps.hpp"
#include "run_variant.hpp"
#include "simulated_team.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using diffusion::ResidentStrip;
using diffusion::StripCut;
using diffusion::TilePlace;
using test::Meeting;

template <class T>
struct SimulatedTeam {
  std::vector<T> slots;
  Meeting meet;
  explicit SimulatedTeam(int threads) : slots(std::size_t(threads)), meet(threads) {}
};
template <class T>
struct SimulatedLanes {
  SimulatedTeam<T>* team;
  int thread;
  T from(T value, int lane, int width) const {
    return test::exchanged(team->slots.data(), team->meet, thread, value, thread / width * width + lane);
  }
};

/// 'launches' times all steps of a field by the strips of 'cut', each launch from the one before's result.
template <class T, int rows, int columns, bool deferred, bool ragged>
std::vector<T> steps_of_strips(const Problem& p, const StripCut& cut, int launches, std::vector<T> field) {
  using Strip = ResidentStrip<T, rows, columns, deferred, ragged>;
  const int threads = cut.rings * TilePlace::ring_width(cut.lanes);
  std::vector<runtime::CountedWord> words(std::size_t(cut.words(Strip::words_a_row)), 0);
  typename Strip::Part unset;
  for (T& v : unset.v) v = diffusion::poison<T>;
  std::uint32_t passed = 0;
  for (int launch = 0; launch < launches; ++launch) {
    std::vector<T> out(field.size(), diffusion::poison<T>);
    const Strip strip{cut, field.data(), out.data(), T(p.alpha), words.data(), passed};
    std::vector<std::thread> all;
    std::vector<std::unique_ptr<SimulatedTeam<T>>> teams;
    std::vector<std::vector<typename Strip::Part>> edges(std::size_t(cut.planes * cut.teams));
    for (int rank = 0; rank < cut.planes * cut.teams; ++rank) {
      teams.push_back(std::make_unique<SimulatedTeam<T>>(threads));
      edges[std::size_t(rank)].assign(std::size_t(Strip::edge_parts(cut)), unset);
    }
    for (int rank = 0; rank < cut.planes * cut.teams; ++rank)
      for (int thread = 0; thread < threads; ++thread)
        all.emplace_back([&, rank, thread] {
          SimulatedTeam<T>& team = *teams[std::size_t(rank)];
          strip.advance(rank, thread, edges[std::size_t(rank)].data(), SimulatedLanes<T>{&team, thread},
                        [&] { team.meet(); });
        });
    for (std::thread& t : all) t.join();
    passed += std::uint32_t(cut.batches()) * std::uint32_t(cut.exchanges());
    field.swap(out);
  }
  return field;
}

struct Cut {
  int nx, ny, nz, teams, planes, period, rings;
};

template <class T, int rows, int columns, bool deferred, bool ragged>
void expect_right(const Cut& c, int steps, int launches = 1) {
  Problem p;
  p.nx = c.nx, p.ny = c.ny, p.nz = c.nz, p.steps = steps;
  p.precision = sizeof(T) == 4 ? runtime::Precision::f32 : runtime::Precision::f64;
  if (!deferred) p.alpha = 0.03;
  StripCut cut{};
  cut.nx = c.nx, cut.ny = c.ny, cut.nz = c.nz;
  cut.teams = c.teams, cut.planes = c.planes, cut.period = c.period, cut.rings = c.rings, cut.steps = steps;
  cut.lanes = (c.nx + columns - 1) / columns;
  const int most = (c.ny + c.teams - 1) / c.teams;
  cut.below = c.teams == 1 && rows * c.rings == c.ny ? 0 : (rows * c.rings - most) / 2;
  ASSERT_LE(most + 2 * cut.margin(), rows * c.rings);
  ASSERT_GE(c.ny / c.teams, 2 * cut.margin());
  const auto field = diffusion::random_field<T>(p);
  auto expected = field;
  for (int n = 0; n < launches; ++n) expected = test::pair_steps(p, expected);
  for (const int buffers : {1, 2}) {
    cut.buffers = buffers;
    EXPECT_EQ((steps_of_strips<T, rows, columns, deferred, ragged>(p, cut, launches, field)), expected)
        << rows << "x" << columns << " points, " << describe(p) << ", " << c.teams << " teams, " << c.planes
        << " at work, " << c.period << " steps an exchange, " << buffers << " buffers";
  }
}

TEST(ResidentStrip, APlaneOfOneTeamIsRightToTheBit) {
  expect_right<double, 4, 2, true, false>({8, 8, 1, 1, 1, 9, 2}, 5);
  expect_right<float, 4, 4, false, false>({8, 16, 2, 1, 1, 9, 4}, 4);
  expect_right<float, 5, 4, true, false>({4, 10, 1, 1, 1, 9, 2}, 35);
}

TEST(ResidentStrip, ATeamMayBeItsOwnNeighbour) {
  expect_right<double, 4, 2, true, false>({4, 4, 1, 1, 1, 1, 2}, 5);
  expect_right<double, 6, 2, false, false>({2, 5, 1, 1, 1, 1, 2}, 4);
}

TEST(ResidentStrip, StripsOfSeveralTeamsAreRightToTheBit) {
  expect_right<double, 4, 2, true, false>({4, 8, 1, 2, 1, 1, 2}, 6);
  expect_right<double, 6, 2, true, false>({2, 9, 3, 2, 2, 1, 2}, 5);
  expect_right<float, 9, 4, false, false>({4, 25, 1, 3, 1, 2, 2}, 7);
  expect_right<double, 5, 2, true, false>({2, 25, 1, 2, 1, 1, 4}, 3);
}

TEST(ResidentStrip, LanesMayHaveAColumnLess) {
  for (const int nx : {3, 6, 7, 9, 10, 11})
    expect_right<double, 5, 4, false, true>({nx, 6, 1, 1, 1, 1, 2}, 3);
  expect_right<float, 9, 4, false, true>({7, 17, 1, 2, 1, 2, 2}, 5);
}

/// Words of an earlier launch are never taken for those of a later one.
TEST(ResidentStrip, LaunchesFollowEachOther) {
  expect_right<double, 4, 2, true, false>({4, 8, 3, 2, 2, 1, 2}, 3, 3);
  expect_right<double, 8, 2, true, false>({2, 16, 2, 2, 1, 2, 2}, 5, 2);
}

using diffusion::ResidentStripForm;

/// Simulates what a plan says; false where there is none.
template <class T, class Form>
bool expect_plan_right(const Problem& p, int period, const diffusion::StripRoom& room) {
  const diffusion::StripPlan plan = diffusion::best_strips<T, std::tuple<Form>>(p, period, room);
  if (plan.form < 0) return false;
  const auto field = diffusion::random_field<T>(p);
  const auto got = steps_of_strips<T, Form::rows, Form::columns, false, true>(p, plan.cut, 1, field);
  EXPECT_EQ(got, test::pair_steps(p, field)) << describe(p) << ", " << plan.cut.teams << " teams, "
                                             << plan.cut.planes << " at work, " << plan.cut.period;
  return true;
}

TEST(StripPlan, WhatItSaysIsRight) {
  std::mt19937 random(17);
  const auto draw = [&](int least, int most) { return least + int(random() % unsigned(most - least + 1)); };
  int planned = 0;
  for (int tried = 0; planned < 12 && tried < 1000; ++tried) {
    Problem p;
    p.alpha = 0.03;
    p.nx = draw(1, 6), p.ny = draw(4, 30), p.nz = draw(1, 3), p.steps = draw(1, 5);
    const diffusion::StripRoom room{draw(1, 4), 1 << 16, 1 << 16};
    planned += tried % 2 == 0 ? expect_plan_right<double, ResidentStripForm<5, 2, 32, 1>>(p, draw(1, 2), room)
                              : expect_plan_right<float, ResidentStripForm<7, 4, 32, 2>>(p, draw(1, 2), room);
  }
  EXPECT_EQ(planned, 12);
}

template <class T, class Form>
int expect_plans_resident(const diffusion::StripRoom& room) {
  constexpr int rows = Form::rows, reach = 2 * rows - 2;
  int planned = 0;
  for (const int nx : {3, 16, 100, 128, 250, 256, 512})
    for (int ny = 2; ny < 600; ny += 1 + ny / 40)
      for (const int nz : {1, 64})
        for (const int period : {1, 2, 4, 8}) {
          Problem p;
          p.nx = nx, p.ny = ny, p.nz = nz, p.steps = 9;
          const auto plan = diffusion::best_strips<T, std::tuple<Form>>(p, period, room);
          if (plan.form < 0) continue;
          const StripCut& c = plan.cut;
          const int least = ny / c.teams, most = (ny + c.teams - 1) / c.teams, tile = rows * c.rings;
          EXPECT_LE(c.planes * c.teams, room.multiprocessors * Form::teams) << describe(p);
          EXPECT_GE(c.planes * c.batches(), nz);
          EXPECT_LE(plan.threads, Form::threads);
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
              std::int64_t(c.buffers) * 4 * c.rings * c.lanes * Form::columns * std::int64_t(sizeof(T));
          EXPECT_LE(bytes, room.scratch_of_team);
          EXPECT_LE(bytes * Form::teams, room.scratch_of_multiprocessor);
          ++planned;
        }
  return planned;
}

TEST(StripPlan, NoGridIsLargerThanTheMachine) {
  for (const diffusion::StripRoom& room :
       {diffusion::StripRoom{132, 48 * 1024 - 64, 228 * 1024},
        diffusion::StripRoom{56, 48 * 1024 - 64, 64 * 1024}, diffusion::StripRoom{2, 16 * 1024, 20 * 1024}}) {
    EXPECT_GT((expect_plans_resident<float, ResidentStripForm<10, 4, 256, 1>>(room)), 0);
    EXPECT_GT((expect_plans_resident<float, ResidentStripForm<9, 16, 128, 2>>(room)), 0);
    EXPECT_GT((expect_plans_resident<double, ResidentStripForm<8, 4, 256, 1>>(room)), 0);
  }
}

TEST(ResidentStrip, SharesCoverAllOnce) {
  for (const int n : {2, 7, 128})
    for (const int parts : {1, 2, 3, 7}) {
      int next = 0;
      for (int q = 0; q < parts; ++q) {
        const diffusion::EvenShare share(q, n, parts);
        EXPECT_EQ(share.first, next);
        EXPECT_LE(share.size - n / parts, 1);
        next += share.size;
      }
      EXPECT_EQ(next, n);
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

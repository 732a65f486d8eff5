// SPDX-License-Identifier: BSD-3-Clause
// Which variant a user's field is filtered with: by measurements of this machine and of planes like these, by
// the records of such a GPU, by the model elsewhere.
#include "diffusion/best.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "diffusion/passes.hpp"
#include "harness/environment.hpp"
#include "harness/selection.hpp"
#include "measurements.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity;
using diffusion::By;
using diffusion::Expected;
using diffusion::Precision;
using diffusion::Problem;
using diffusion::RecordedRate;
using harness::Measurement;

Measurement rate(const std::string& kernel, int nx, int ny, int nz, int steps, double seconds,
                 const std::string& tuning = "", const std::string& precision = "float",
                 double alpha = 1.0 / 32) {
  Measurement m = test::row("diffusion", kernel,
                            {{"nx", std::int64_t(nx)},
                             {"ny", std::int64_t(ny)},
                             {"nz", std::int64_t(nz)},
                             {"steps", std::int64_t(steps)},
                             {"alpha", alpha},
                             {"precision", precision}},
                            {seconds, seconds, seconds}, "", "stream", tuning);
  m.run.device = harness::this_environment().run.device;
  m.run.build = harness::this_environment().run.build;
  m.verdict.tolerance = 1;
  return m;
}

Problem problem(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps) {
  Problem p;
  p.nx = nx, p.ny = ny, p.nz = nz, p.steps = steps;
  return p;
}

std::vector<Expected> expected(const Problem& p, const std::vector<Measurement>& measured,
                               const std::vector<RecordedRate>& recorded = {}) {
  return candidates(p, measured, recorded).all;
}

const Expected* find(const std::vector<Expected>& all, const std::string& kernel) {
  for (const Expected& e : all)
    if (e.choice.entry->name == kernel) return &e;
  return nullptr;
}

RecordedRate recorded(const std::string& variant, int nx, int ny, int nz, int steps, double step_us,
                      const std::string& tuning = "", Precision precision = Precision::f32) {
  RecordedRate r;
  r.device = "Machine";
  r.of = {"9.0", 132};
  r.variant = variant, r.tuning = tuning, r.precision = precision;
  r.nx = nx, r.ny = ny, r.nz = nz, r.steps = steps, r.alpha = 1.0 / 32, r.step_us = step_us;
  r.record = "rows.jsonl:7", r.commit = "c0ffee";
  return r;
}

TEST(Best, TakesTheFastestThatWasMeasured) {
  const auto all = expected(problem(64, 64, 8, 100), {rate("openmp-fused", 64, 64, 4, 100, 2e-3),
                                                      rate("openmp-baseline", 64, 64, 4, 100, 1e-3)});
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].choice.entry->name, "openmp-baseline");
  EXPECT_EQ(all[0].by, By::measurement);
  EXPECT_NEAR(all[0].seconds, 2e-3, 1e-12);  // twice the planes
  EXPECT_EQ(all[1].choice.entry->name, "openmp-fused");
  EXPECT_EQ(all[2].by, By::model);
}

/// What starts a run is no step: twice the steps do not take twice the time.
TEST(Best, FindsStartAndStepFromTwoNumbersOfSteps) {
  const std::vector<Measurement> two = {rate("openmp-fused", 64, 64, 8, 50, 2e-3),
                                        rate("openmp-fused", 64, 64, 8, 150, 4e-3)};
  EXPECT_NEAR(find(expected(problem(64, 64, 8, 100), two), "openmp-fused")->seconds, 3e-3, 1e-12);
  EXPECT_NEAR(find(expected(problem(64, 64, 8, 10), two), "openmp-fused")->seconds, 1.2e-3, 1e-12);
  EXPECT_NEAR(find(expected(problem(64, 64, 16, 1050), two), "openmp-fused")->seconds, 44e-3, 1e-12);
  // As many steps as were measured need no line, and those of other planes make none.
  EXPECT_NEAR(find(expected(problem(64, 64, 8, 50), two), "openmp-fused")->seconds, 2e-3, 1e-12);
  EXPECT_EQ(find(expected(problem(64, 64, 8, 51), {two[0]}), "openmp-fused")->by, By::model);
  EXPECT_EQ(find(expected(problem(64, 64, 8, 100), {two[0], rate("openmp-fused", 64, 64, 4, 150, 4e-3)}),
                 "openmp-fused")
                ->by,
            By::model);
}

TEST(Best, NoiseMakesNoStepFree) {
  for (const double longer : {1e-3, 2e-3, 11e-3})  // shorter, alike, and a start below nothing
    EXPECT_NEAR(find(expected(problem(64, 64, 8, 1000), {rate("openmp-fused", 64, 64, 8, 50, 2e-3),
                                                         rate("openmp-fused", 64, 64, 8, 250, longer)}),
                     "openmp-fused")
                    ->seconds,
                4 * longer, 1e-12);
}

/// With the factor put off, which only 1/32 allows, a step takes fewer operations.
TEST(Best, KeepsAlphasApartThatMeanOtherArithmetic) {
  Problem p = problem(64, 64, 8, 100);
  p.alpha = 0.02;
  const Measurement exact = rate("openmp-fused", 64, 64, 8, 100, 1e-3),
                    other = rate("openmp-fused", 64, 64, 8, 100, 2e-3, "", "float", 0.03);
  EXPECT_EQ(find(expected(p, {exact}), "openmp-fused")->by, By::model);
  EXPECT_NEAR(find(expected(p, {exact, other}), "openmp-fused")->seconds, 2e-3, 1e-12);
  p.alpha = 1.0 / 32;
  EXPECT_EQ(find(expected(p, {other}), "openmp-fused")->by, By::model);
}

TEST(Best, PlanesThatAreAtWorkAtATimeTakeTheTimeOfOne) {
  const int at_once = omp_get_max_threads();
  const std::vector<Measurement> one = {rate("openmp-plane", 64, 64, 1, 100, 1e-3, "16")};
  for (const auto& [planes, times] : std::map<int, double>{
           {1, 1}, {at_once, 1}, {at_once + 1, 2}, {2 * at_once, 2}, {4 * at_once, 4}, {4 * at_once + 1, 5}})
    EXPECT_NEAR(find(expected(problem(64, 64, planes, 100), one), "openmp-plane")->seconds, times * 1e-3,
                1e-12)
        << planes;
  EXPECT_NEAR(
      find(expected(problem(64, 64, 1, 100), {rate("openmp-plane", 64, 64, 3 * at_once, 100, 3e-3, "16")}),
           "openmp-plane")
          ->seconds,
      1e-3, 1e-12);
}

/// 17 planes take 16 threads two turns; a GPU shares out parts of planes.
TEST(Best, TurnsAreWholeOnAHost) {
  EXPECT_EQ(diffusion::turns_of(17, 16, true), 2);
  EXPECT_EQ(diffusion::turns_of(16, 16, true), 1);
  EXPECT_EQ(diffusion::turns_of(17, 16, false), 1.0625);
  EXPECT_EQ(diffusion::turns_of(3, 16, false), 1);
  EXPECT_EQ(diffusion::turns_of(3, 16, true), 1);
  EXPECT_EQ(diffusion::turns_of(17, 0, true), 17);  // nobody knows
}

TEST(Best, CountsNoMeasurementOfAnotherKind) {
  const Problem p = problem(64, 64, 8, 100);
  const Measurement right = rate("openmp-fused", 64, 64, 8, 100, 1e-9);
  ASSERT_EQ(find(expected(p, {right}), "openmp-fused")->by, By::measurement);
  Measurement elsewhere = right, wrong = right, other = right, build = right, graph = right, bare = right;
  build.run.build = "another compiler";
  elsewhere.run.device = "another machine";
  wrong.verdict.error = 2;
  other.study = "kde";
  graph.mechanism = "graph-two";
  bare.problem.erase("nz");
  for (const Measurement& m :
       {elsewhere, wrong, other, build, graph, bare, rate("openmp-fused", 64, 64, 8, 100, 1e-9, "", "double"),
        rate("openmp-fused", 128, 128, 8, 100, 1e-9)})
    EXPECT_EQ(find(expected(p, {m}), "openmp-fused")->by, By::model);
}

TEST(Best, OfTuningsTheFastestCountsAndOtherPlanesDoNot) {
  const auto all = expected(problem(100, 100, 8, 100), {rate("openmp-tile", 90, 100, 8, 100, 0.5, "32x256"),
                                                        rate("openmp-tile", 100, 100, 8, 100, 2.0, "32x256"),
                                                        rate("openmp-tile", 100, 100, 8, 100, 1.0, "64x64")});
  const Expected* const e = find(all, "openmp-tile");
  EXPECT_DOUBLE_EQ(e->seconds, 1);
  EXPECT_EQ(harness::to_string(e->choice.tuning), "64x64");
}

TEST(Best, LeavesOutFloorsAndWhatIsNoVariantHereAnyMore) {
  const auto all = expected(problem(64, 64, 8, 100), {rate("openmp-of-old", 64, 64, 8, 100, 1e-9)},
                            {recorded("cuda-of-old", 64, 64, 8, 100, 1e-3)});
  for (const Expected& e : all) EXPECT_FALSE(e.choice.entry->floor) << e.choice.name();
  EXPECT_EQ(find(all, "reference-loop"), nullptr);
  EXPECT_EQ(find(all, "kokkos-copy"), nullptr);
}

/// Nor is one chosen that may wait for ever beside other programs, however fast it was.
TEST(Best, NeverChoosesWhatSaysThatItIsNotToBeChosen) {
  const Problem p = problem(64, 64, 8, 100);
  int seen = 0;
  for (const diffusion::Entry& e : diffusion::registry()) {
    if (e.not_chosen.empty()) continue;
    ++seen;
    const std::string tuning = e.tunings.empty() ? "" : e.tunings.front();
    const auto found = candidates(p, {rate(e.name, 64, 64, 8, 100, 1e-9, tuning)},
                                  {recorded(e.name, 64, 64, 8, 100, 1e-9, tuning)});
    EXPECT_EQ(find(found.all, e.name), nullptr) << e.name;
    if (!e.unavailable.empty() || !e.ranked()) continue;
    EXPECT_NE(candidates_table(found).find(e.not_chosen), std::string::npos) << e.name;
  }
  EXPECT_GT(seen, 2);
  for (const char* spins : {"kokkos-team-resident", "kokkos-grid-barrier"})
    for (const diffusion::Entry& e : diffusion::registry()) {
      if (e.name != spins || !e.on_device()) continue;
      EXPECT_FALSE(e.not_chosen.empty()) << spins;
    }
}

TEST(Best, NativeOnesStandFirstWhereTheModelSeesNoDifference) {
  const auto one = [](const char* name, double seconds, By by) {
    return Expected{harness::choice_of(diffusion::study(), name), seconds, by, ""};
  };
  std::vector<Expected> all = {one("kokkos-team-plane", 1, By::model), one("openmp-plane", 1, By::model),
                               one("kokkos-fused", 0.5, By::model), one("openmp-fused", 7, By::record),
                               one("kokkos-laplacian", 6, By::measurement)};
  diffusion::put_in_order(all);
  std::vector<std::string> names;
  for (const Expected& e : all) names.push_back(e.choice.entry->name);
  EXPECT_EQ(names, (std::vector<std::string>{"kokkos-laplacian", "openmp-fused", "kokkos-fused",
                                             "openmp-plane", "kokkos-team-plane"}));
}

/// Of a variant that works on so many planes at a time.
diffusion::Scaling scaling(const std::string& variant, std::int64_t at_once) {
  diffusion::Scaling s;
  s.variant = variant;
  s.can_take = [](const RecordedRate&) { return true; };
  s.model = [](const Problem& p, const std::string&) {
    return diffusion::cost_resident(p, 1, diffusion::deferred_flops);
  };
  s.planes_at_once = [=](const Problem&, const std::string&) { return at_once; };
  return s;
}

TEST(Best, ARecordIsScaledAsTheModelInTurns) {
  const std::vector<RecordedRate> table = {recorded("a", 64, 64, 64, 1000, 2),
                                           recorded("a", 64, 64, 64, 1000, 1e-3, "", Precision::f64)};
  const auto seconds = [&](int nx, int ny, int nz, int steps, int at_once) {
    return from_record(scaling("a", at_once), problem(nx, ny, nz, steps), table)->seconds;
  };
  for (const int at_once : {0, 1, 66, 132}) EXPECT_NEAR(seconds(64, 64, 64, 1000, at_once), 2e-3, 1e-12);
  // Fewer planes than are at work at a time take as long as all of them, and more take turns.
  for (const int nz : {1, 20, 66}) EXPECT_NEAR(seconds(64, 64, nz, 1000, 66), 2e-3, 1e-12) << nz;
  EXPECT_NEAR(seconds(64, 64, 99, 1000, 66), 3e-3, 1e-12);
  EXPECT_NEAR(seconds(64, 64, 16, 1000, 16), 0.5e-3, 1e-12);  // the record's took four turns
  EXPECT_NEAR(seconds(64, 64, 1, 1000, 0), 2e-3 / 64, 1e-12);
  EXPECT_NEAR(seconds(64, 128, 64, 2000, 66), 8e-3, 1e-12);
  EXPECT_FALSE(from_record(scaling("b", 0), problem(64, 64, 64, 1000), table));
}

TEST(Best, ARecordOfOtherPlanesOrArithmeticIsFar) {
  const std::vector<RecordedRate> table = {recorded("a", 64, 64, 64, 1000, 2)};
  const auto near = [&](int nx, int ny, double alpha = 1.0 / 32) {
    Problem p = problem(nx, ny, 20, 77);
    p.alpha = alpha;
    return from_record(scaling("a", 66), p, table)->near;
  };
  EXPECT_TRUE(near(64, 64));
  EXPECT_TRUE(near(64, 128));
  EXPECT_TRUE(near(128, 64));
  EXPECT_TRUE(near(46, 90));
  EXPECT_FALSE(near(64, 129));  // more points
  EXPECT_FALSE(near(32, 63));   // fewer
  EXPECT_FALSE(near(45, 91));   // longer
  EXPECT_FALSE(near(91, 45));   // wider
  EXPECT_FALSE(near(64, 64, 0.03));
  // A record of the same arithmetic comes before a nearer one of another.
  std::vector<RecordedRate> two = {table[0], table[0]};
  two[1].nx = 80, two[1].alpha = 0.02;
  Problem p = problem(64, 64, 64, 1000);
  p.alpha = 0.03;
  const auto other = from_record(scaling("a", 66), p, two);
  EXPECT_EQ(other->rate, &two[1]);
  EXPECT_TRUE(other->near);
}

/// A record far away is extrapolated: whoever asks whether anything is known is told to measure.
TEST(Best, OnlyNearRecordsMakeAChoiceKnown) {
  const auto one = [](const char* name, double seconds, By by, bool near) {
    return Expected{harness::choice_of(diffusion::study(), name), seconds, by, "", near};
  };
  diffusion::Candidates found;
  found.all = {one("openmp-fused", 1e-3, By::model, true), one("openmp-plane", 2, By::record, false)};
  put_in_order(found.all);
  EXPECT_EQ(found.all[0].by, By::record);  // a model is an order of magnitude
  EXPECT_FALSE(found.known());
  found.all.push_back(one("openmp-baseline", 3, By::record, true));
  put_in_order(found.all);
  EXPECT_EQ(found.all[0].seconds, 3);
  EXPECT_TRUE(found.known());
  found.all.push_back(one("kokkos-fused", 2.5, By::measurement, true));
  put_in_order(found.all);
  EXPECT_EQ(found.all[0].seconds, 2.5);
  EXPECT_TRUE(found.known());
}

/// Those of a GPU say nothing of a variant that computes on the host here.
TEST(Best, ARecordCountsForVariantsOnTheGpuAlone) {
  const Problem p = problem(64, 64, 8, 1000);
  const auto all = expected(
      p, {},
      {recorded("openmp-fused", 64, 64, 8, 1000, 1), recorded("kokkos-laplacian", 64, 64, 8, 1000, 1)});
  EXPECT_EQ(find(all, "openmp-fused")->by, By::model);
  const Expected* const portable = find(all, "kokkos-laplacian");
  ASSERT_NE(portable, nullptr);
  if (!portable->choice.entry->on_device()) {
    EXPECT_EQ(portable->by, By::model);
  } else {
    EXPECT_EQ(portable->by, By::record);
    EXPECT_EQ(portable->source, "Machine, 64x64x8 N=1000 (rows.jsonl:7, commit c0ffee)");
    EXPECT_NEAR(portable->seconds, 1e-3, 1e-12);
  }
}

TEST(Best, TheNearestRecordThatCanBeTakenCounts) {
  const std::vector<RecordedRate> table = {
      recorded("a", 128, 128, 64, 1, 1, "1"), recorded("a", 128, 128, 64, 1, 1, "2"),
      recorded("a", 256, 256, 64, 1, 1, "3"), recorded("b", 100, 100, 64, 1, 1),
      recorded("a", 127, 129, 64, 1, 1, "4"), recorded("a", 128, 128, 8, 1, 1, "5")};
  const auto nearest = [&](int nx, int ny, int nz, const std::set<std::string>& refused = {}) {
    const RecordedRate* const r =
        nearest_rate(table, "a", problem(nx, ny, nz, 1),
                     [&](const RecordedRate& x) { return refused.count(x.tuning) == 0; });
    return r ? r->tuning : "none";
  };
  EXPECT_EQ(nearest(128, 128, 64), "1");
  EXPECT_EQ(nearest(128, 128, 64, {"1"}), "2");
  EXPECT_EQ(nearest(128, 128, 10), "5");
  EXPECT_EQ(nearest(240, 250, 64), "3");
  EXPECT_EQ(nearest(140, 140, 64), "1");
  EXPECT_EQ(nearest(141, 140, 64), "4");  // whose rows begin at no pack of 16 bytes either
  EXPECT_EQ(nearest(125, 126, 64), "4");
  EXPECT_EQ(nearest(128, 128, 64, {"1", "2", "3", "4", "5"}), "none");
}

struct Row {
  double step_us = 0;
  std::string kernel, name;
};

/// What best must not take, in a build that does not know its entry.
bool may_take(const std::string& kernel) {
  static const std::set<std::string> never = {"cuda-plane-cluster-barriers", "kokkos-team-resident",
                                              "kokkos-grid-barrier", "cuda-cooperative"};
  return never.count(kernel) == 0;
}

using Rows = std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>,
                      std::vector<Row>>;

/// Every row of the H200's frontier that best may take, by problem.
const Rows& frontier() {
  static const Rows rows = [] {
    Rows all;
    std::set<std::string> files;
    for (const auto& f : std::filesystem::directory_iterator(PARITY_RESULTS "/h200/frontier"))
      if (f.path().extension() == ".jsonl") files.insert(f.path().string());
    for (const std::string& file : files)
      for (const Measurement& m : harness::read_records({file}).measurements)
        if (m.study == "diffusion" && m.comparable() && m.ranked() && m.mechanism == "stream" &&
            may_take(m.kernel))
          all[{m.word("precision"), m.integer("nx"), m.integer("ny"), m.integer("nz"), m.integer("steps")}]
              .push_back({1e6 * m.host().value / double(m.integer("steps")), m.kernel, m.name()});
    return all;
  }();
  return rows;
}

constexpr int h200_processors = 132;

/// How many planes an H200 works on at a time: values, since the host cannot ask it.
std::int64_t at_once_on_h200(const std::string& variant, const Problem& p, const std::string& tuning) {
  if (variant == "cuda-plane-registers" || variant == "kokkos-team-registers") return h200_processors;
  if (variant == "cuda-plane-cluster") return h200_processors / std::stoi(tuning);
  if (variant != "cuda-resident") return 0;
  const std::int64_t warps = std::stoi(tuning), values = p.precision == Precision::f32 ? 128 : 64,
                     blocks = (p.nx * p.ny + warps * 32 * values - 1) / (warps * 32 * values);
  return std::max<std::int64_t>(1, h200_processors * 8 / warps / blocks);
}

/// What variants of the table cost, as their entries say in a build for the H200.
harness::CostModel model_on_h200(const std::string& variant, const Problem& p, const std::string& tuning) {
  const auto in_passes = [&](int steps) {
    harness::CostModel m = diffusion::cost_per_step(p, 1, 2, diffusion::flops_by_pairs(p));
    const double passes = double((p.steps + steps - 1) / steps);
    m.bytes *= passes / double(p.steps), m.launches = passes;
    return m;
  };
  harness::CostModel m = variant == "cuda-fused-column"      ? in_passes(1)
                         : variant == "cuda-warp-temporal"   ? in_passes(8)
                         : variant == "kokkos-team-temporal" ? in_passes(8)
                         : variant == "cuda-stream-temporal"
                             ? in_passes(tuning == "2" ? 8 : 16)
                             : diffusion::cost_resident(p, 1, diffusion::flops_by_pairs(p));
  m.submissions = m.launches;
  return m;
}

/// The first choice for a problem by a table, as the program finds it on an H200, of those in 'could'.
const RecordedRate* first_of(const std::vector<RecordedRate>& table, const Problem& p,
                             const std::function<bool(const RecordedRate&)>& could) {
  const RecordedRate* first = nullptr;
  std::tuple<int, double, bool> place;
  std::set<std::string> variants;
  for (const RecordedRate& r : table) variants.insert(r.variant);
  for (const std::string& v : variants) {
    diffusion::Scaling s;
    s.variant = v;
    s.can_take = [&](const RecordedRate& r) { return may_take(r.variant) && could(r); };
    s.model = [&](const Problem& q, const std::string& tuning) { return model_on_h200(v, q, tuning); };
    s.planes_at_once = [&](const Problem& q, const std::string& tuning) {
      return at_once_on_h200(v, q, tuning);
    };
    const auto found = from_record(s, p, table);
    if (!found) continue;
    const auto here = diffusion::place_of(By::record, found->near, found->seconds, v.rfind("kokkos", 0) == 0);
    if (first && !(here < place)) continue;
    first = found->rate;
    place = here;
  }
  return first;
}
std::string name_of(const RecordedRate& r) { return r.variant + (r.tuning.empty() ? "" : "/" + r.tuning); }
const RecordedRate* first_of(const std::vector<RecordedRate>& table, const Problem& p,
                             const std::set<std::string>& could) {
  return first_of(table, p, [&](const RecordedRate& r) { return could.count(name_of(r)) > 0; });
}

std::set<std::string> names_of(const std::vector<Row>& rows) {
  std::set<std::string> names;
  for (const Row& r : rows) names.insert(r.name);
  return names;
}
double fastest_of(const std::vector<Row>& rows, const std::string& name = "") {
  double least = std::numeric_limits<double>::infinity();
  for (const Row& r : rows)
    if (name.empty() || r.name == name) least = std::min(least, r.step_us);
  return least;
}

/// Those that this build can run: one for older GPUs runs on an H200, too.
std::vector<Row> possible_here(const Problem& p, const std::vector<Row>& rows) {
  const auto task = diffusion::study().task_of(p);
  std::vector<Row> some;
  for (const Row& r : rows) try {
      if (!task->why_not(harness::choice_of(diffusion::study(), r.name))) some.push_back(r);
    } catch (const runtime::UsageError&) {  // a tuning of another version
    }
  return some;
}

const diffusion::GpuClass h200{"9.0", 132};

/// On the GPU itself the choice is that of candidates(), with what this build can run.
TEST(Best, ChoosesOnAnH200WhatWasFastestThere) {
  const auto table = rates_of(diffusion::recorded_rates(), h200);
  ASSERT_FALSE(table.empty());
  int problems = 0;
  for (const auto& [key, rows] : frontier()) {
    const auto& [precision, nx, ny, nz, steps] = key;
    Problem p = problem(nx, ny, nz, steps);
    p.precision = precision == "double" ? Precision::f64 : Precision::f32;
    const RecordedRate* const first = first_of(table, p, names_of(rows));
    ASSERT_NE(first, nullptr) << describe(p);
    const std::string name = name_of(*first);
    EXPECT_LE(fastest_of(rows, name), 1.1 * fastest_of(rows)) << describe(p) << ": " << name;
    ++problems;
    if (!(diffusion::gpu_class_here() == h200)) continue;
    const std::vector<Row> possible = possible_here(p, rows);
    if (possible.empty()) continue;
    const Expected here = candidates(p, {}).all.front();
    EXPECT_EQ(here.by, By::record) << describe(p);
    EXPECT_LE(fastest_of(possible, here.choice.name()), 1.1 * fastest_of(possible))
        << describe(p) << ": " << here.choice.name();
  }
  EXPECT_GT(problems, 20);
}

/// Of planes that were not recorded those beside them tell: each problem by the records of all others.
TEST(Best, OfPlanesBetweenTheRecordedOnesTheNearestTell) {
  const auto all = rates_of(diffusion::recorded_rates(), h200);
  for (const auto& [key, rows] : frontier()) {
    const auto& [precision, nx, ny, nz, steps] = key;
    if (nx == 16) continue;  // a form of its own, in one warp
    Problem p = problem(nx, ny, nz, steps);
    p.precision = precision == "double" ? Precision::f64 : Precision::f32;
    std::vector<RecordedRate> others;
    for (const RecordedRate& r : all)
      if (r.nx != nx || r.ny != ny) others.push_back(r);
    const RecordedRate* const first = first_of(others, p, names_of(rows));
    ASSERT_NE(first, nullptr) << describe(p);
    const std::string name = name_of(*first);
    EXPECT_LE(fastest_of(rows, name), 2 * fastest_of(rows)) << describe(p) << ": " << name;
  }
}

/// A plane in one block waits for no other block: of few small planes that is first, as of many.
TEST(Best, FewPlanesOnAnH200AreNoFaster) {
  const auto table = rates_of(diffusion::recorded_rates(), h200);
  const auto any = [](const RecordedRate&) { return true; };
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const int nx : {16, 32, 64})
      for (const int nz : {1, 20, 64, 66}) {
        Problem p = problem(nx, nx, nz, 1025);
        p.precision = precision;
        EXPECT_EQ(first_of(table, p, any)->variant, "cuda-plane-registers") << describe(p);
        if (!(diffusion::gpu_class_here() == h200)) continue;
        const auto found = candidates(p, {});
        EXPECT_TRUE(found.known());
        EXPECT_EQ(found.all.front().choice.entry->name, "cuda-plane-registers") << describe(p);
      }
  // Larger ones are spread over as many blocks as their shape allows.
  EXPECT_EQ(first_of(table, problem(128, 128, 1, 1025), any)->variant, "cuda-plane-cluster");
}

/// Whatever cannot hold all planes says how many it works on: of fewer none is faster.
TEST(Best, OnAGpuVariantsThatTakeTurnsSayHowManyPlanesAreAtWork) {
  if (!diffusion::gpu_class_here()) GTEST_SKIP() << "no GPU";
  Problem p = problem(64, 64, 8, 10);
  p.precision = Precision::f32;
  const auto task = diffusion::study().task_of(p);
  for (const diffusion::Entry& e : diffusion::registry()) {
    if (!e.unavailable.empty() || !e.ranked() || !e.not_chosen.empty() || !e.on_device()) continue;
    for (const harness::Choice& c : harness::select(diffusion::study(), {e.name + "/*"})) {
      if (task->why_not(c)) continue;
      const std::int64_t most = e.make<float>(p, c.tuning)->turns().at_once;
      if (most == 0) continue;
      ASSERT_NE(e.planes_at_once, nullptr) << c.name();
      EXPECT_GE(e.planes_at_once(p, c.tuning), 1) << c.name();
      EXPECT_LE(e.planes_at_once(p, c.tuning), most) << c.name();
    }
  }
}

TEST(Best, ModelsFollowTunings) {
  const Problem p = problem(64, 64, 8, 100);
  const auto launches = [&](const std::string& name) {
    return diffusion::study().model(p, harness::choice_of(diffusion::study(), name)).launches;
  };
  EXPECT_EQ(launches("openmp-temporal/8x1024"), 13);
  EXPECT_EQ(launches("openmp-temporal/16x1024"), 7);
  EXPECT_EQ(launches("openmp-temporal/3x16"), 34);
  for (const diffusion::Entry& e : diffusion::registry()) {
    if (e.name != "cuda-stream-temporal" || !e.model) continue;
    EXPECT_EQ(launches("cuda-stream-temporal/1"), 6 + 1);   // 6 of 16, one of 4
    EXPECT_EQ(launches("cuda-stream-temporal/2"), 12 + 1);  // 12 of 8, one of 4
    Problem ragged = problem(63, 64, 8, 101);
    const auto odd =
        diffusion::study().model(ragged, harness::choice_of(diffusion::study(), "cuda-stream-temporal/1"));
    EXPECT_EQ(odd.launches, 2 * (6 + 1 + 1));  // rows are extended before each pass
  }
}

TEST(Best, PassesOfEvenStepsAddUp) {
  for (const int most : {8, 16})
    for (std::int64_t steps = 1; steps < 70; ++steps) {
      const diffusion::EvenPasses cut(steps, most);
      EXPECT_EQ(cut.whole * most + cut.even * cut.even_steps + cut.odd, steps);
      EXPECT_EQ(cut.even_steps % 2, 0);
      EXPECT_LT(cut.even_steps, most);
      EXPECT_EQ(cut.even, cut.even_steps > 0 ? 1 : 0);
      EXPECT_LE(cut.odd, 1);
    }
  EXPECT_EQ(diffusion::EvenPasses(1025, 16).count(), 65);
  EXPECT_EQ(diffusion::EvenPasses(15, 16).count(), 2);
}

/// Where the scale is put off a step has 8 operations, else 10.
TEST(Best, OperationsFollowAlpha) {
  Problem p = problem(64, 64, 8, 100);
  EXPECT_EQ(diffusion::flops_by_pairs(p), diffusion::deferred_flops);
  p.alpha = 0.03;
  EXPECT_EQ(diffusion::flops_by_pairs(p), diffusion::pair_flops);
}

TEST(Best, MeasuresTwoNumbersOfSteps) {
  using diffusion::steps_to_measure;
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(steps_to_measure(100000, 1e6), (Steps{48, 240}));
  EXPECT_EQ(steps_to_measure(100000, 100), (Steps{8, 40}));
  EXPECT_EQ(steps_to_measure(100, 1e6), (Steps{100}));
  EXPECT_EQ(steps_to_measure(7, 1), (Steps{7}));
}

TEST(Best, MeasuresAndRemembers) {
  const auto folder = std::filesystem::temp_directory_path() / ("parity-best-" + std::to_string(::getpid()));
  const std::string file = (folder / "deep" / "rates.jsonl").string();
  const Problem p = problem(24, 20, 3, 300);
  const auto before = candidates(p, diffusion::read_rates(file), {});
  const auto found = measure_rates(p, before, 1e-4, file);
  ASSERT_FALSE(found.empty());
  const auto again = candidates(p, diffusion::read_rates(file), {});
  EXPECT_TRUE(again.known());
  // It serves any number of steps.
  EXPECT_TRUE(candidates(problem(24, 20, 3, 12345), diffusion::read_rates(file), {}).known());
  // A second time appends; a damaged file is none.
  measure_rates(p, before, 1e-4, file);
  EXPECT_GE(diffusion::read_rates(file).size(), found.size());
  std::ofstream(file) << "{\n";
  EXPECT_TRUE(diffusion::read_rates(file).empty());
  // ... and is made anew.
  measure_rates(p, before, 1e-4, file);
  EXPECT_FALSE(diffusion::read_rates(file).empty());
  EXPECT_NE(candidates_table(again).find("* " + again.all.front().choice.name()), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace

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

#include "cuda/diffusion/plane_division.hpp"
#include "diffusion/passes.hpp"
#include "diffusion/stream_cost.hpp"
#include "filter/filter.hpp"
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
  m.run = harness::this_environment().run;
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
  EXPECT_EQ(diffusion::turns_taken(17, 16, true), 2);
  EXPECT_EQ(diffusion::turns_taken(16, 16, true), 1);
  EXPECT_EQ(diffusion::turns_taken(17, 16, false), 1.0625);
  EXPECT_EQ(diffusion::turns_taken(3, 16, false), 1);
  EXPECT_EQ(diffusion::turns_taken(3, 16, true), 1);
  EXPECT_EQ(diffusion::turns_taken(17, 0, true), 17);  // nobody knows
}

TEST(Best, CountsNoMeasurementOfAnotherKind) {
  const Problem p = problem(64, 64, 8, 100);
  const Measurement right = rate("openmp-fused", 64, 64, 8, 100, 1e-9);
  ASSERT_EQ(find(expected(p, {right}), "openmp-fused")->by, By::measurement);
  Measurement elsewhere = right, wrong = right, other = right, build = right, graph = right, bare = right,
              host = right, commit = right, changes = right;
  build.run.build = "another compiler";
  host.run.host = "another host";
  commit.run.commit = "c0ffee";
  changes.run.modified = true;
  changes.run.changes = "1a2b3c4d5e6f";
  elsewhere.run.device = "another machine";
  wrong.verdict.error = 2;
  other.study = "kde";
  graph.mechanism = "graph-two";
  bare.problem.erase("nz");
  for (const Measurement& m : {elsewhere, wrong, other, build, graph, bare, host, commit, changes,
                               rate("openmp-fused", 64, 64, 8, 100, 1e-9, "", "double"),
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
  s.device = "Machine";
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

/// The memory of GPUs that compute alike need not be as fast.
TEST(Best, ARecordOfAnotherGpuIsFar) {
  const std::vector<RecordedRate> table = {recorded("a", 64, 64, 64, 1000, 2)};
  diffusion::Scaling s = scaling("a", 66);
  EXPECT_TRUE(from_record(s, problem(64, 64, 64, 1000), table)->near);
  s.device = "Machine NVL";
  EXPECT_FALSE(from_record(s, problem(64, 64, 64, 1000), table)->near);
}

/// A pass over few planes may take as long as one over many.
TEST(Best, FewerPlanesAreFarWhereNobodyKnowsHowManyAreAtWork) {
  const std::vector<RecordedRate> table = {recorded("a", 64, 64, 64, 1000, 2)};
  const auto near = [&](int nz, int at_once) {
    return from_record(scaling("a", at_once), problem(64, 64, nz, 1000), table)->near;
  };
  EXPECT_FALSE(near(1, 0));
  EXPECT_FALSE(near(31, 0));
  for (const int nz : {32, 64, 1000}) EXPECT_TRUE(near(nz, 0)) << nz;
  for (const int nz : {1, 31, 32, 64, 1000}) EXPECT_TRUE(near(nz, 66)) << nz;
  // Measurements on a GPU are scaled by the same rule.
  EXPECT_FALSE(diffusion::can_be_scaled(64, 31, 0));
  EXPECT_TRUE(diffusion::can_be_scaled(64, 31, 1));
  EXPECT_TRUE(diffusion::can_be_scaled(64, 32, 0));
}

/// A field is filtered launch after launch, each of so many planes.
TEST(Best, ATimeIsThatOfAllLaunches) {
  const int at_once = omp_get_max_threads();
  const std::vector<Measurement> one = {rate("openmp-plane", 64, 64, 1, 100, 1e-3, "16")};
  const auto launches_of = [&](std::int64_t nz, std::int64_t planes) {
    const auto found =
        candidates(problem(64, 64, nz, 100), one, {}, [=](const harness::Choice&) { return planes; });
    return *find(found.all, "openmp-plane");
  };
  EXPECT_NEAR(launches_of(4 * at_once, 4 * at_once).seconds, 4e-3, 1e-12);
  EXPECT_NEAR(launches_of(4 * at_once, 1000 * at_once).seconds, 4e-3, 1e-12);
  EXPECT_NEAR(launches_of(4 * at_once, 1).seconds, 4e-3 * at_once, 1e-12);
  EXPECT_NEAR(launches_of(5, 2).seconds, 3 * launches_of(2, 2).seconds, 1e-12);  // the last is no longer
  EXPECT_EQ(launches_of(5, 2).planes, 2);
  EXPECT_EQ(launches_of(5, 0).planes, 1);
}

/// What --explain prints is expected of the launches that are made.
TEST(Best, AFilterAsksForTheLaunchesThatItMakes) {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const std::string before = cache ? cache : "";
  const auto empty = std::filesystem::temp_directory_path() / ("parity-none-" + std::to_string(::getpid()));
  setenv("XDG_CACHE_HOME", empty.c_str(), 1);
  const Problem p = problem(512, 512, 96, 2);
  const auto plan = filter::plan(p, "", 0, io::Missing::refuse, false);
  cache ? setenv("XDG_CACHE_HOME", before.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
  ASSERT_LT(plan.planes, 96);
  const auto line = [&](std::int64_t planes) {
    const auto found =
        candidates(p, {}, diffusion::recorded_here(), [=](const harness::Choice&) { return planes; });
    for (const Expected& e : found.all)
      if (e.choice.name() == plan.choice.name()) {
        const std::string table = diffusion::candidates_table({{e}, {}});
        return table.substr(table.find('*'));
      }
    return std::string("none");
  };
  EXPECT_NE(line(plan.planes), line(96));
  EXPECT_NE(plan.candidates.find(line(plan.planes)), std::string::npos)
      << plan.candidates << line(plan.planes);
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
  EXPECT_FALSE(found.known());  // one that is extrapolated may be faster
  found.all[0].seconds = 2;
  EXPECT_TRUE(found.known());
  found.all[0].seconds = 3;
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
    EXPECT_FALSE(portable->near);  // of another GPU
    EXPECT_EQ(portable->source, "far from Machine, 64x64x8 N=1000 (rows.jsonl:7, commit c0ffee)");
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
                                              "kokkos-grid-barrier"};
  return never.count(kernel) == 0;
}

/// What was measured of a problem, and the choices that could not run.
struct Measured {
  std::vector<Row> rows;
  std::set<std::string> refused;
};
using Frontier =
    std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>, Measured>;

/// Every row of the H200's frontier that best may take, by problem.
const Frontier& frontier() {
  static const Frontier rows = [] {
    Frontier all;
    const auto of = [&](const Measurement& m) -> Measured& {
      return all[{m.word("precision"), m.integer("nx"), m.integer("ny"), m.integer("nz"),
                  m.integer("steps")}];
    };
    std::set<std::string> files;
    for (const auto& f : std::filesystem::directory_iterator(PARITY_RESULTS "/h200/frontier"))
      if (f.path().extension() == ".jsonl") files.insert(f.path().string());
    for (const std::string& file : files) {
      const harness::Records records = harness::read_records({file});
      for (const Measurement& m : records.measurements)
        if (m.study == "diffusion" && m.comparable() && m.ranked() && m.mechanism == "stream" &&
            may_take(m.kernel))
          of(m).rows.push_back({1e6 * m.host().value / double(m.integer("steps")), m.kernel, m.name()});
      for (const harness::SkippedRow& s : records.skipped)
        if (s.row.study == "diffusion") of(s.row).refused.insert(s.row.name());
    }
    return all;
  }();
  return rows;
}

constexpr int h200_processors = 132;

/// Blocks of the cluster that takes a plane: of the forms in plane_cluster_asynchronous_f32.cu and _f64.cu.
int blocks_of_cluster(const Problem& p, int at_least) {
  using Shapes = std::vector<cuda::GroupShape>;
  const Shapes f32 = {{8, 4, 32, 8},  {16, 4, 32, 8}, {16, 8, 32, 8}, {4, 16, 32, 8},
                      {8, 16, 32, 8}, {8, 8, 32, 8},  {9, 4, 32, 8},  {9, 8, 32, 8}},
               f64 = {{8, 4, 32, 8}, {4, 8, 32, 8}, {8, 8, 32, 8}, {9, 4, 32, 8}, {9, 8, 32, 8}};
  for (const int blocks : {2, 4, 8, 16})
    for (const cuda::GroupShape& s : p.precision == Precision::f32 ? f32 : f64)
      if (blocks >= at_least && p.nx <= s.columns * s.lanes && p.ny <= s.rows * s.most_groups * blocks &&
          cuda::divide_plane(s, int(p.nx), int(p.ny), int(p.nx), blocks).groups > 0)
        return blocks;
  return 0;
}

/// How many planes an H200 works on at a time: values, since the host cannot ask it.
std::int64_t at_once_on_h200(const std::string& variant, const Problem& p, const std::string& tuning) {
  if (variant == "cuda-plane-registers" || variant == "kokkos-team-registers") return h200_processors;
  if (variant == "cuda-plane-cluster") {
    // So many clusters of 2, 4, 8 and 16 blocks it holds, about.
    static const std::map<int, std::int64_t> clusters = {{0, 1}, {2, 66}, {4, 30}, {8, 15}, {16, 7}};
    const int at_least = std::stoi(tuning);
    return std::min<std::int64_t>(clusters.at(blocks_of_cluster(p, at_least)), h200_processors / at_least);
  }
  if (variant != "cuda-resident") return 0;
  const std::int64_t warps = std::stoi(tuning), values = p.precision == Precision::f32 ? 128 : 64,
                     blocks = (p.nx * p.ny + warps * 32 * values - 1) / (warps * 32 * values);
  return std::max<std::int64_t>(1, h200_processors * 8 / warps / blocks);
}

/// What variants of the table cost, as their entries say in a build for the H200.
harness::CostModel model_on_h200(const std::string& variant, const Problem& p, const std::string& tuning) {
  const harness::Tuning t = harness::parse_tuning(tuning).value_or(harness::Tuning());
  harness::CostModel m =
      variant == "cuda-fused-column"    ? diffusion::cost_per_step(p, 1, 2, diffusion::direct_flops)
      : variant == "cuda-warp-temporal" ? diffusion::cost_per_pass(p, 3, diffusion::pair_flops)
      : variant == "kokkos-team-temporal"
          ? diffusion::cost_per_pass(p, diffusion::steps_a_pass(p, t), diffusion::flops_by_pairs(p))
      : variant == "cuda-stream-temporal" ? diffusion::cost_of_stream(p, t)
                                          : diffusion::cost_resident(p, 1, diffusion::flops_by_pairs(p));
  m.submissions = m.launches;
  return m;
}

/// The first choice for a problem by a table, as the program finds it on an H200.
struct First {
  const RecordedRate* rate = nullptr;
  bool known = false;
};
First first_of(const std::vector<RecordedRate>& table, const Problem& p,
               const std::function<bool(const RecordedRate&)>& could) {
  First first;
  std::tuple<int, double, bool> place;
  double least_of_far = std::numeric_limits<double>::infinity();
  std::set<std::string> variants;
  for (const RecordedRate& r : table) variants.insert(r.variant);
  bool near = false;
  for (const std::string& v : variants) {
    diffusion::Scaling s;
    s.variant = v;
    s.device = "NVIDIA H200";
    s.can_take = [&](const RecordedRate& r) { return may_take(r.variant) && could(r); };
    s.model = [&](const Problem& q, const std::string& tuning) { return model_on_h200(v, q, tuning); };
    s.planes_at_once = [&](const Problem& q, const std::string& tuning) {
      return at_once_on_h200(v, q, tuning);
    };
    const auto found = from_record(s, p, table);
    if (!found) continue;
    if (!found->near) least_of_far = std::min(least_of_far, found->seconds);
    const auto here = diffusion::place_of(By::record, found->near, found->seconds, v.rfind("kokkos", 0) == 0);
    if (first.rate && !(here < place)) continue;
    first.rate = found->rate;
    place = here;
    near = found->near;
  }
  first.known = first.rate && diffusion::is_known(By::record, near, std::get<double>(place), least_of_far);
  return first;
}
std::string name_of(const RecordedRate& r) { return r.variant + (r.tuning.empty() ? "" : "/" + r.tuning); }
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
  int problems = 0, judged = 0;
  for (const auto& [key, measured] : frontier()) {
    const auto& [precision, nx, ny, nz, steps] = key;
    const auto& [rows, refused] = measured;
    Problem p = problem(nx, ny, nz, steps);
    p.precision = precision == "double" ? Precision::f64 : Precision::f32;
    const auto choose = [&](const std::function<bool(const std::string&)>& could) {
      const First first = first_of(table, p, [&](const RecordedRate& r) { return could(name_of(r)); });
      EXPECT_NE(first.rate, nullptr) << describe(p);
      return first.rate ? name_of(*first.rate) : "";
    };
    const std::set<std::string> names = names_of(rows);
    const std::string name = choose([&](const std::string& n) { return names.count(n) > 0; });
    EXPECT_LE(fastest_of(rows, name), 1.1 * fastest_of(rows)) << describe(p) << ": " << name;
    // Of all that nobody refused: what was not measured here cannot be judged.
    const std::string any = choose([&, no = &refused](const std::string& n) { return no->count(n) == 0; });
    if (names.count(any) > 0) {
      EXPECT_LE(fastest_of(rows, any), 1.1 * fastest_of(rows)) << describe(p) << ": " << any;
      ++judged;
    }
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
  EXPECT_GE(judged, problems * 3 / 4);
}

/// Of planes that were not recorded those beside them tell: each problem by the records of all others.
TEST(Best, OfPlanesBetweenTheRecordedOnesTheNearestTell) {
  const auto all = rates_of(diffusion::recorded_rates(), h200);
  for (const auto& [key, measured] : frontier()) {
    const auto& [precision, nx, ny, nz, steps] = key;
    const std::vector<Row>& rows = measured.rows;
    if (nx == 16) continue;  // a form of its own, in one warp
    Problem p = problem(nx, ny, nz, steps);
    p.precision = precision == "double" ? Precision::f64 : Precision::f32;
    std::vector<RecordedRate> others;
    for (const RecordedRate& r : all)
      if (r.nx != nx || r.ny != ny) others.push_back(r);
    const std::set<std::string> names = names_of(rows);
    const RecordedRate* const first =
        first_of(others, p, [&](const RecordedRate& r) { return names.count(name_of(r)) > 0; }).rate;
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
        EXPECT_EQ(first_of(table, p, any).rate->variant, "cuda-plane-registers") << describe(p);
        EXPECT_TRUE(first_of(table, p, any).known) << describe(p);
        if (!(diffusion::gpu_class_here() == h200)) continue;
        const auto found = candidates(p, {});
        EXPECT_TRUE(found.known());
        EXPECT_EQ(found.all.front().choice.entry->name, "cuda-plane-registers") << describe(p);
      }
  // Larger ones are spread over as many blocks as their shape allows.
  EXPECT_EQ(first_of(table, problem(128, 128, 1, 1025), any).rate->variant, "cuda-plane-cluster");
}

/// A pass of cuda-stream-temporal over one plane takes about as long as one over 16 of them: a record of 64
/// makes it neither the first of few nor known to be slower.
TEST(Best, OfFewLargePlanesOnAnH200NoPassIsKnownToBeFast) {
  const auto table = rates_of(diffusion::recorded_rates(), h200);
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const int nx : {256, 512})
      for (const int nz : {1, 2, 4, 8, 16, 31}) {
        Problem p = problem(nx, nx, nz, 1025);
        p.precision = precision;
        const First first = first_of(table, p, [&](const RecordedRate& r) {  // what a GPU would refuse
          return r.variant != "cuda-plane-registers" && r.variant != "kokkos-team-registers" &&
                 (r.variant != "cuda-plane-cluster" || blocks_of_cluster(p, std::stoi(r.tuning)) > 0);
        });
        if (nz <= 8) {
          EXPECT_FALSE(first.known) << describe(p);
        }
        EXPECT_NE(first.rate->variant, "cuda-stream-temporal") << describe(p);
        EXPECT_NE(first.rate->variant, "kokkos-team-temporal") << describe(p);
      }
}

/// In a build for the GPU entries say what this file says of them.
TEST(Best, OnAGpuModelsOfEntriesAreThoseOfThisFile) {
  if (!diffusion::gpu_class_here()) GTEST_SKIP() << "no GPU";
  int compared = 0;
  for (const RecordedRate& r : diffusion::recorded_rates()) {
    Problem p = r.problem_like({});
    const std::string name = name_of(r);
    const auto task = diffusion::study().task_of(p);
    try {
      const harness::Choice c = harness::choice_of(diffusion::study(), name);
      if (task->why_not(c) || !c.entry->on_device()) continue;
      const harness::CostModel is = diffusion::study().task_of(p)->model(c),
                               said = model_on_h200(r.variant, p, r.tuning);
      EXPECT_EQ(is.launches, said.launches) << name << " " << describe(p);
      EXPECT_EQ(is.bytes, said.bytes) << name << " " << describe(p);
      // Which planes in registers put off the scale follows from their form, which only a GPU's build knows.
      if (said.launches > 1) {
        EXPECT_EQ(is.flops, said.flops) << name << " " << describe(p);
      }
      ++compared;
      if (!(diffusion::gpu_class_here() == h200)) continue;
      if (const auto at_once = diffusion::entry_of(c).planes_at_once) {
        // Not all H200s have their multiprocessors in groups of the same sizes.
        const auto said_at_once = double(at_once_on_h200(r.variant, p, r.tuning));
        EXPECT_NEAR(double(at_once(p, c.tuning)), said_at_once, 0.15 * said_at_once)
            << name << " " << describe(p);
      }
    } catch (const runtime::UsageError&) {  // a tuning of another version
    }
  }
  EXPECT_GT(compared, 20);
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
    return diffusion::study().task_of(p)->model(harness::choice_of(diffusion::study(), name)).launches;
  };
  EXPECT_EQ(launches("openmp-temporal/8x1024"), 13);
  EXPECT_EQ(launches("openmp-temporal/16x1024"), 7);
  EXPECT_EQ(launches("openmp-temporal/3x16"), 34);
  for (const diffusion::Entry& e : diffusion::registry()) {
    if (e.name != "cuda-stream-temporal" || !e.model) continue;
    EXPECT_EQ(launches("cuda-stream-temporal/1"), 6 + 1);   // 6 of 16, one of 4
    EXPECT_EQ(launches("cuda-stream-temporal/2"), 12 + 1);  // 12 of 8, one of 4
    Problem ragged = problem(63, 64, 8, 101);
    const auto odd = diffusion::study().task_of(ragged)->model(
        harness::choice_of(diffusion::study(), "cuda-stream-temporal/1"));
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
  // It says nothing of another number of threads.
  const int threads = omp_get_max_threads();
  omp_set_num_threads(threads + 1);
  EXPECT_TRUE(diffusion::read_rates(file).empty());
  omp_set_num_threads(threads);
  EXPECT_FALSE(diffusion::read_rates(file).empty());
  std::ofstream(file) << "{\n";
  EXPECT_TRUE(diffusion::read_rates(file).empty());
  // ... and is made anew.
  measure_rates(p, before, 1e-4, file);
  EXPECT_FALSE(diffusion::read_rates(file).empty());
  EXPECT_NE(candidates_table(again).find("* " + again.all.front().choice.name()), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace

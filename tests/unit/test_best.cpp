// SPDX-License-Identifier: BSD-3-Clause
// Which variant a user's field is filtered with: by measurements of this machine and of planes like these, by
// the records of such a GPU, by the model elsewhere.
#include "diffusion/best.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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
  r.record = "rows.jsonl:7";
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
  for (const auto& [planes, times] : std::map<int, double>{{1, 1}, {at_once, 1}, {4 * at_once, 4}})
    EXPECT_NEAR(find(expected(problem(64, 64, planes, 100), one), "openmp-plane")->seconds, times * 1e-3,
                1e-12);
  EXPECT_NEAR(
      find(expected(problem(64, 64, 1, 100), {rate("openmp-plane", 64, 64, 3 * at_once, 100, 3e-3, "16")}),
           "openmp-plane")
          ->seconds,
      1e-3, 1e-12);
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

TEST(Best, ARecordOfSuchAMachineCounts) {
  const std::vector<RecordedRate> table = {
      recorded("openmp-fused", 64, 64, 8, 1000, 2), recorded("openmp-baseline", 64, 64, 8, 1000, 1),
      recorded("openmp-baseline", 64, 64, 8, 1000, 1e-3, "", Precision::f64)};
  const auto same = expected(problem(64, 64, 8, 1000), {}, table);
  EXPECT_EQ(same[0].choice.entry->name, "openmp-baseline");
  EXPECT_EQ(same[0].by, By::record);
  EXPECT_NEAR(same[0].seconds, 1e-3, 1e-12);
  EXPECT_EQ(same[0].source, "Machine, 64x64x8 N=1000 (rows.jsonl:7)");
  EXPECT_NEAR(same[1].seconds, 2e-3, 1e-12);
  EXPECT_EQ(same[2].by, By::model);
  // More points take longer, as the model says: bytes and launches of each step.
  const auto more = expected(problem(256, 256, 8, 2000), {}, table);
  EXPECT_GT(more[0].seconds, 2 * 1e-3);
  EXPECT_LT(more[0].seconds, 2 * 16 * 1e-3);
  // What was measured here counts before it, and is compared with the records of others.
  const auto both =
      expected(problem(64, 64, 8, 1000), {rate("openmp-baseline", 64, 64, 8, 1000, 5e-3)}, table);
  EXPECT_EQ(both[0].choice.entry->name, "openmp-fused");
  EXPECT_EQ(both[1].by, By::measurement);
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

/// The first choice for a problem by a table, as any machine can work it out: without the variants' models,
/// by points. could: what can be taken.
const RecordedRate* first_of(const std::vector<RecordedRate>& table, const Problem& p,
                             const std::set<std::string>& could) {
  const RecordedRate* first = nullptr;
  double least = 0;
  std::set<std::string> variants;
  for (const RecordedRate& r : table) variants.insert(r.variant);
  for (const std::string& v : variants) {
    const RecordedRate* const r = nearest_rate(table, v, p, [&](const RecordedRate& x) {
      return may_take(x.variant) && could.count(x.variant + (x.tuning.empty() ? "" : "/" + x.tuning)) > 0;
    });
    if (!r) continue;
    const double us = r->step_us * double(p.points()) / double(r->nx * r->ny * r->nz);
    if (!first || us < least) {
      first = r;
      least = us;
    }
  }
  return first;
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
    const std::string name = first->variant + (first->tuning.empty() ? "" : "/" + first->tuning);
    EXPECT_LE(fastest_of(rows, name), 1.1 * fastest_of(rows)) << describe(p) << ": " << name;
    ++problems;
    if (diffusion::gpu_class_here() != h200) continue;
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
    const std::string name = first->variant + (first->tuning.empty() ? "" : "/" + first->tuning);
    EXPECT_LE(fastest_of(rows, name), 2 * fastest_of(rows)) << describe(p) << ": " << name;
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

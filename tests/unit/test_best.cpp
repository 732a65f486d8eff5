// SPDX-License-Identifier: BSD-3-Clause
// Which variant a user's field is filtered with: by measurements of this device and precision and of planes
// like these, scaled; by the model elsewhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "diffusion/best.hpp"
#include "harness/environment.hpp"
#include "measurements.hpp"

namespace {

using namespace parity;
using diffusion::Expected;
using harness::Measurement;

Measurement rate(const std::string& kernel, int nx, int ny, int nz, int steps, double seconds,
                 const std::string& tuning = "", const std::string& precision = "float") {
  Measurement m = test::row("diffusion", kernel,
                            {{"nx", std::int64_t(nx)},
                             {"ny", std::int64_t(ny)},
                             {"nz", std::int64_t(nz)},
                             {"steps", std::int64_t(steps)},
                             {"precision", precision}},
                            {seconds, seconds, seconds}, "", "stream", tuning);
  m.run.device = harness::this_environment().run.device;
  m.run.build = harness::this_environment().run.build;
  m.verdict.tolerance = 1;
  return m;
}

diffusion::Problem problem(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps) {
  diffusion::Problem p;
  p.nx = nx, p.ny = ny, p.nz = nz, p.steps = steps;
  return p;
}

const Expected* find(const std::vector<Expected>& all, const std::string& kernel) {
  for (const Expected& e : all)
    if (e.choice.entry->name == kernel) return &e;
  return nullptr;
}

TEST(Best, TakesTheFastestThatWasMeasuredAndScalesIt) {
  const auto all = candidates(problem(64, 64, 8, 100), {rate("openmp-fused", 64, 64, 4, 50, 2e-3),
                                                        rate("openmp-baseline", 64, 64, 4, 50, 1e-3)});
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].choice.entry->name, "openmp-baseline");
  EXPECT_TRUE(all[0].measured);
  EXPECT_NEAR(all[0].seconds, 4e-3, 1e-12);  // twice the planes, twice the steps
  EXPECT_EQ(all[1].choice.entry->name, "openmp-fused");
  EXPECT_FALSE(all[2].measured);
}

TEST(Best, CountsNoMeasurementOfAnotherKind) {
  const diffusion::Problem p = problem(64, 64, 8, 100);
  Measurement elsewhere = rate("openmp-fused", 64, 64, 8, 100, 1e-9), wrong = elsewhere, other = elsewhere,
              build = elsewhere;
  build.run.build = "another compiler";
  elsewhere.run.device = "another machine";
  wrong.verdict.error = 2;
  other.study = "kde";
  const auto graph = [&] {
    Measurement m = elsewhere;
    m.run.device = wrong.run.device;
    m.mechanism = "graph-two";
    return m;
  }();
  for (const Measurement& m :
       {elsewhere, wrong, other, build, graph, rate("openmp-fused", 64, 64, 8, 100, 1e-9, "", "double"),
        rate("openmp-fused", 128, 128, 8, 100, 1e-9)})
    EXPECT_FALSE(find(candidates(p, {m}), "openmp-fused")->measured);
}

TEST(Best, OfTuningsTheFastestCountsAndOtherPlanesDoNot) {
  const diffusion::Problem p = problem(100, 100, 8, 100);
  const auto all = candidates(p, {rate("openmp-tile", 90, 100, 8, 100, 0.5, "32x256"),
                                  rate("openmp-tile", 100, 100, 8, 100, 2.0, "32x256"),
                                  rate("openmp-tile", 100, 100, 8, 100, 1.0, "64x64")});
  const Expected* const e = find(all, "openmp-tile");
  EXPECT_DOUBLE_EQ(e->seconds, 1);
  EXPECT_EQ(harness::to_string(e->choice.tuning), "64x64");
}

TEST(Best, ARowWithoutItsParametersSaysNothing) {
  Measurement m = rate("openmp-fused", 64, 64, 8, 100, 1e-9);
  m.problem.erase("nz");
  EXPECT_FALSE(find(candidates(problem(64, 64, 8, 100), {m}), "openmp-fused")->measured);
}

TEST(Best, LeavesOutFloorsAndWhatIsNoVariantHereAnyMore) {
  const auto all = candidates(problem(64, 64, 8, 100), {rate("openmp-of-old", 64, 64, 8, 100, 1e-9)});
  for (const Expected& e : all) EXPECT_FALSE(e.choice.entry->floor) << e.choice.name();
  EXPECT_EQ(find(all, "reference-loop"), nullptr);
  EXPECT_EQ(find(all, "kokkos-copy"), nullptr);
}

TEST(Best, MeasuresAndRemembers) {
  const auto folder = std::filesystem::temp_directory_path() / ("parity-best-" + std::to_string(::getpid()));
  const std::string file = (folder / "deep" / "rates.jsonl").string();
  const diffusion::Problem p = problem(24, 20, 3, 9);
  const auto before = candidates(p, diffusion::read_rates(file));
  const auto found = measure_rates(p, before, 0.05, file);
  ASSERT_FALSE(found.empty());
  const auto again = candidates(p, diffusion::read_rates(file));
  EXPECT_TRUE(again.front().measured);
  // A second time appends; a damaged file is none.
  measure_rates(p, before, 0.05, file);
  EXPECT_GE(diffusion::read_rates(file).size(), found.size());
  std::ofstream(file) << "{\n";
  EXPECT_TRUE(diffusion::read_rates(file).empty());
  // ... and is made anew.
  measure_rates(p, before, 0.05, file);
  EXPECT_FALSE(diffusion::read_rates(file).empty());
  EXPECT_NE(candidates_table(again).find("* " + again.front().choice.name()), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace

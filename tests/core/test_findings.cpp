// SPDX-License-Identifier: BSD-3-Clause
// Speed-ups, tunings, efficiencies of ranks and costs of launches, from records with known answers.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/findings.hpp"
#include "analysis/time_split.hpp"
#include "measurements.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity;
using namespace parity::analysis;
using harness::Measurement;

TEST(SpeedUp, IsOverTheFamilysOwnBaselineAndOverCuPys) {
  const auto row = [](const char* kernel, double seconds, const char* mechanism = "stream") {
    const std::int64_t n = 16;
    return test::row("diffusion", kernel,
                     {{"nx", n}, {"ny", n}, {"nz", n}, {"steps", n}, {"precision", "double"}}, {seconds}, "",
                     mechanism);
  };
  std::vector<Measurement> rows = {row("cupy-baseline", 30), row("cuda-baseline", 6), row("cuda-fused", 1),
                                   row("cuda-fused", 0.5, "graph-whole"), row("cuda-fused-wrap", 1e-9)};
  rows[4].verdict.error = 1;
  std::map<std::string, double> factors;
  for (const SpeedUp& s : diffusion_findings(rows).speed_ups)
    factors[s.variant + " over " + s.baseline] = s.factor.value;
  EXPECT_NEAR(factors["cuda-fused+graph-whole over cuda-baseline"], 12, 1e-9);
  EXPECT_NEAR(factors["cuda-fused+graph-whole over cupy-baseline"], 60, 1e-9);
}

Measurement on_grid(const char* kernel, const char* mechanism, std::int64_t n, double seconds) {
  return test::row("diffusion", kernel,
                   {{"nx", n},
                    {"ny", n},
                    {"nz", std::int64_t(64)},
                    {"steps", std::int64_t(1025)},
                    {"precision", "double"}},
                   {seconds}, "", mechanism);
}

TEST(Published, GraphsReachAGridAndTimesAPlateau) {
  std::vector<Measurement> rows;
  for (const auto& [n, plain, graph] : {std::tuple(8, 4.0, 1.0), std::tuple(64, 4.0, 3.0),
                                        std::tuple(128, 4.0, 5.0), std::tuple(256, 9.0, 8.0)})
    rows.push_back(on_grid("cupy-baseline", "stream", n, plain)),
        rows.push_back(on_grid("cupy-baseline", "graph-copy", n, graph));
  const DiffusionFindings found = diffusion_findings(rows);
  ASSERT_EQ(found.reaches.size(), 1u);
  EXPECT_EQ(found.reaches[0].to, 64) << "a larger grid after one that loses does not count";
  ASSERT_EQ(found.plateaus.size(), 2u);
  for (const Plateau& p : found.plateaus) {
    EXPECT_EQ(p.grid, "256x256x64");
    EXPECT_EQ(p.is_published, p.variant == "cupy-baseline");
  }
  EXPECT_NEAR(found.plateaus[0].seconds, 9.0 / (256 * 256 * 64), 1e-12);
}

TEST(Published, SpeedUpsAndEfficienciesFollowFromTheTimes) {
  const WidthTable t = published_widths();
  EXPECT_NEAR(t.speed_up(1024000, 64)->seconds, 24.11897, 1e-4);
  EXPECT_NEAR(t.efficiency(1024000, 32)->seconds, 0.5121986, 1e-6);
  EXPECT_NEAR(t.efficiency(4000, 512)->seconds, 3.556584e-3, 1e-7);
}

const harness::Values small = {{"nx", std::int64_t(8)}};

TEST(LatestRuns, AreTheLatestOfEachThingByItself) {
  std::vector<Measurement> rows;
  const auto add = [&rows](const char* run, const char* kernel) {
    rows.push_back(test::row("diffusion", kernel, small, {1}));
    rows.back().run.id = run;
  };
  add("2026-01-02", "cuda-a"), add("2026-01-03", "cuda-a"), add("2026-01-03", "cuda-a"),
      add("2026-01-01", "cuda-a"), add("2026-01-01", "cuda-b"), add("2026-01-09", "cuda-c");
  const auto found = of_latest_runs(
      rows, [](const Measurement& m) { return m.kernel == "cuda-c" ? std::string() : m.kernel; });
  EXPECT_EQ(found, (std::vector<const Measurement*>{&rows[1], &rows[2], &rows[4]}))
      << "all rows of the latest run; the only one however old; none of what is not asked for";
}

Measurement tuned(const char* kernel, const char* tuning, const std::vector<double>& seconds,
                  const char* twin = "") {
  return test::row("diffusion", kernel, small, seconds, twin, "stream", tuning);
}

TEST(TuningSweep, AWrongRowIsNeverTheBest) {
  std::vector<Measurement> rows = {tuned("kokkos-fused", "1", {3}), tuned("kokkos-fused", "2", {1}),
                                   tuned("kokkos-fused", "3", {2}), tuned("kokkos-fused", "4", {0.5})};
  rows[3].verdict.error = 1;
  const auto best = best_tunings(rows);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].best, &rows[1]);
  EXPECT_EQ(best[0].second, &rows[2]);
  EXPECT_EQ(best[0].tried, 3);
}

TEST(TuningSweep, UnequalBudgetsAreNamed) {
  std::vector<Measurement> rows = {tuned("kokkos-fused", "1", {3}, "cuda-fused"),
                                   tuned("kokkos-fused", "2", {1}, "cuda-fused"),
                                   tuned("cuda-fused", "1", {1})};
  const auto lines = unequal_budgets(rows);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("kokkos-fused was tried with 2 tunings, its twin cuda-fused with 1"),
            std::string::npos)
      << lines[0];
  rows.push_back(tuned("cuda-fused", "2", {1}));
  EXPECT_TRUE(unequal_budgets(rows).empty());
  rows.resize(2);
  EXPECT_EQ(unequal_budgets(rows).size(), 1u) << "a twin that was not tuned at all";
  rows = {test::row("diffusion", "kokkos-fused-1d", small, {3}, "cuda-fused-1d"),
          tuned("cuda-fused-1d", "64", {1}), tuned("cuda-fused-1d", "256", {2})};
  ASSERT_EQ(unequal_budgets(rows).size(), 1u) << "a portable side that was not";
  EXPECT_NE(unequal_budgets(rows)[0].find("kokkos-fused-1d was tried with 0 tunings"), std::string::npos);
}

TEST(TuningSweep, AGraphsTwinIsTheCaptureOfTheSameSchedule) {
  std::vector<Measurement> rows = {tuned("kokkos-fused", "1", {3}, "cuda-fused"),
                                   tuned("cuda-fused", "1", {1})};
  rows[0].mechanism = "kokkos-graph-two", rows[1].mechanism = "graph-two";
  EXPECT_TRUE(unequal_budgets(rows).empty());
  rows[1].mechanism = "graph-copy";
  EXPECT_EQ(unequal_budgets(rows).size(), 1u);
}

constexpr double us = 1e-6;

/// step: seconds per step, for ten steps.
Measurement diffusion(const std::string& kernel, std::int64_t nx, std::int64_t ny, int x, int y,
                      double step) {
  harness::Values p = {{"nx", nx},
                       {"ny", ny},
                       {"nz", std::int64_t(4)},
                       {"halo", std::int64_t(2)},
                       {"steps", std::int64_t(10)},
                       {"precision", std::string("float")}};
  if (x > 1) p["ranks_x"] = std::int64_t(x);
  if (y > 1) p["ranks_y"] = std::int64_t(y);
  Measurement m = test::row("diffusion", kernel, p, {10 * step});
  m.run.device = "a machine";
  return m;
}

Measurement ring(std::int64_t n, int ranks, double seconds) {
  harness::Values p = {{"n", n}, {"precision", std::string("float")}};
  if (ranks > 1) p["ranks"] = std::int64_t(ranks);
  Measurement m = test::row("kde", "openmp-ring", p, {seconds});
  m.run.device = "a machine";
  return m;
}

TEST(Scaling, WhatWasNotMeasuredOnOneRankHasNoEfficiency) {
  std::vector<Measurement> rows = {diffusion("openmp-fused-exchange", 64, 126, 1, 4, 50 * us),
                                   diffusion("openmp-fused-exchange", 64, 31, 1, 1, 40 * us),
                                   diffusion("openmp-other-exchange", 64, 126, 1, 1, 90 * us)};
  rows.push_back(diffusion("openmp-fused-exchange", 64, 126, 1, 1, 90 * us));
  rows.back().run.device = "another";
  const auto scaled = scaled_rows(rows);
  ASSERT_EQ(scaled.size(), 1u);
  EXPECT_FALSE(scaled[0].weak) << "126 rows are no four equal parts";
  EXPECT_FALSE(scaled[0].strong) << "another variant's and another machine's";
}

/// A single rank sends nothing through NCCL, so its NCCL kernels equal those of MPI.
TEST(Scaling, RowsByNcclAreAgainstThoseByMpi) {
  const std::vector<Measurement> rows = {diffusion("cuda-fused-overlap", 64, 64, 1, 1, 40 * us),
                                         diffusion("cuda-fused-overlap-nccl", 128, 64, 2, 1, 50 * us)};
  EXPECT_NEAR(scaled_rows(rows).at(0).weak.value(), 0.8, 1e-9);
}

TEST(Scaling, CutPlanesAreAgainstTheFastestOfTheFamilyThatSharesWholePlanes) {
  auto z_cut = diffusion("openmp-temporal", 64, 64, 1, 1, 30 * us), slow = z_cut;
  z_cut.problem["nz"] = slow.problem["nz"] = std::int64_t(8);
  z_cut.problem["ranks_z"] = slow.problem["ranks_z"] = std::int64_t(2);
  slow.host_seconds = {{10 * 50 * us}};
  const auto scaled = scaled_rows({slow, z_cut, diffusion("openmp-temporal-exchange", 64, 128, 1, 2, 40 * us),
                                   diffusion("openmp-temporal-exchange", 64, 64, 1, 2, 40 * us)});
  ASSERT_EQ(scaled.size(), 4u);
  EXPECT_NEAR(scaled[0].of_z_cut.value(), 0.6, 1e-9);
  EXPECT_NEAR(scaled[2].of_z_cut.value(), 0.75, 1e-9);
  EXPECT_FALSE(scaled[3].of_z_cut) << "half the points";
}

TEST(Scaling, WrongRowsDoNotCountAndNoRowsAreRefused) {
  std::vector<Measurement> rows = {diffusion("openmp-fused", 64, 64, 1, 1, 40 * us)};
  EXPECT_THROW(scaled_rows(rows), runtime::UsageError);
  rows.push_back(diffusion("openmp-fused", 64, 128, 1, 2, 41 * us));
  EXPECT_EQ(scaled_rows(rows).size(), 1u);
  rows.back().verdict.error = 1;
  EXPECT_THROW(scaled_rows(rows), runtime::UsageError);
}

TEST(Scaling, ARingIsScaledStronglyAlone) {
  const std::vector<Measurement> rows = {ring(40000, 1, 1.6), ring(10000, 1, 0.1), ring(40000, 4, 0.5)};
  const auto scaled = scaled_rows(rows);
  ASSERT_EQ(scaled.size(), 1u);
  EXPECT_NEAR(scaled[0].seconds, 0.5, 1e-12);
  EXPECT_NEAR(scaled[0].strong.value(), 1.6 / (4 * 0.5), 1e-9);
  EXPECT_FALSE(scaled[0].weak);
}

/// Kokkos takes twice as long as CUDA.
std::vector<Measurement> launch_rows() {
  std::vector<Measurement> rows;
  const auto add = [&rows](const std::string& variant, const char* quantity, double us,
                           std::int64_t launches = 100) {
    const double seconds = (variant[0] == 'k' ? 2e-6 : 1e-6) * us;
    rows.push_back(test::row("launch", variant,
                             {{"quantity", quantity},
                              {"blocks", std::int64_t(1)},
                              {"threads", std::int64_t(128)},
                              {"argument_bytes", std::int64_t(0)},
                              {"launches", launches},
                              {"topology", "line"}},
                             {seconds}));
  };
  for (const std::string family : {"cuda", "kokkos"}) {
    const std::string kernel = family + "-kernel", graph = family + "-graph";
    add(kernel, "null-overhead", 2), add(kernel, "device-interval", 1), add(kernel, "latency", 8);
    add(graph, "node", 0.5);
    for (const int nodes : {1, 101}) {
      add(graph, "graph-repeat", 3 + 0.5 * nodes, nodes);
      for (const char* stage : {"graph-create", "graph-instantiate", "graph-upload"})
        add(graph, stage, 10 * nodes, nodes);
    }
  }
  return rows;
}

TEST(LaunchCosts, AreReadFromRecords) {
  const LaunchFigures machine = launch_figures(launch_rows()).front();
  const FamilyCosts& cuda = machine.family.at("cuda");
  const std::vector<double> us = {cuda.launch.value,
                                  cuda.interval.value,
                                  cuda.node.value,
                                  machine.family.at("kokkos").launch.value,
                                  cuda.graph_repeat.at(51).value,
                                  cuda.graph_repeat.at(201).value,
                                  cuda.graph_setup.at(51).value};
  const std::vector<double> expected = {2, 1, 0.5, 4, 28.5, 103.5, 1530};
  for (std::size_t k = 0; k < us.size(); ++k) EXPECT_NEAR(1e6 * us[k], expected[k], 1e-9) << k;
}

TEST(TimeSplit, IsLaunchesBytesAndTheRest) {
  std::vector<Measurement> rows = launch_rows();
  const auto split = [&rows](const Measurement& m) { return TimeSplits(rows).of(m); };
  Measurement m = test::row("diffusion", "cuda-fused", {{"nx", std::int64_t(64)}}, {1e-3});
  m.model.launches = 100, m.model.bytes = 3e8;
  m.metrics.push_back({"copy_bandwidth", 1e12, "B/s", harness::Better::neither});
  TimeSplit s = split(m);
  EXPECT_NEAR(*s.launches, 100 * 2e-6, 1e-12);
  EXPECT_NEAR(*s.bytes, 3e-4, 1e-12);
  EXPECT_NEAR(*s.rest, 1e-3 - 2e-4 - 3e-4, 1e-12);
  for (const std::int64_t nx : {16, 128}) {
    rows.push_back(m);
    rows.back().problem["nx"] = nx, rows.back().metrics.back().value = nx == 16 ? 9e12 : 2e12;
  }
  EXPECT_NEAR(*split(m).bytes, 1.5e-4, 1e-12) << "a larger copy was faster";
  rows.resize(rows.size() - 2);
  m.mechanism = "graph-two";
  EXPECT_NEAR(*split(m).launches, 100 * 0.5e-6, 1e-12) << "nodes";
  m.family = harness::Family::kokkos;
  EXPECT_NEAR(*split(m).launches, 100 * 0.5e-6, 1e-12) << "captured";
  m.mechanism = "kokkos-graph-two";
  EXPECT_NEAR(*split(m).launches, 100 * 1e-6, 1e-12);
  m.metrics.pop_back();
  s = split(m);
  EXPECT_TRUE(s.launches && !s.bytes && !s.rest) << "no copy";
  m.run.device = "another";
  EXPECT_FALSE(split(m).known());
}

TEST(LaunchCosts, SayWhichWayPays) {
  const FamilyCosts cuda = launch_figures(launch_rows()).front().family.at("cuda");
  const WaysToLaunch small = ways_to_launch(cuda, 0.1e-6, 101);
  EXPECT_NEAR(small.stream, 202e-6, 1e-12) << "the host is slower";
  EXPECT_NEAR(small.graph, 53.5e-6 + 10.1e-6, 1e-12);
  EXPECT_NEAR(small.fused, 11.1e-6, 1e-12);
  EXPECT_NEAR(small.break_even, 3030e-6 / (202e-6 - 63.6e-6), 1e-6);
  EXPECT_TRUE(small.pays(small.graph) && !small.pays(small.dependent))
      << "dependent launches were not measured";
  const WaysToLaunch one = ways_to_launch(cuda, 50e-6, 1);
  EXPECT_NEAR(one.stream, 51e-6, 1e-12);
  EXPECT_TRUE(std::isinf(one.break_even)) << "a graph of one long kernel never pays";
}

}  // namespace

// SPDX-License-Identifier: BSD-3-Clause
// Speed-ups, tunings and efficiencies of ranks, from records whose answer is known.
#include <gtest/gtest.h>

#include "analysis/findings.hpp"
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

constexpr double us = 1e-6;

/// step: seconds of each of ten steps.
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

/// One rank has nothing for NCCL to carry: its kernels are those of the row by MPI.
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

}  // namespace

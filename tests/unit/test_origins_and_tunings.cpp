// SPDX-License-Identifier: BSD-3-Clause
// What may be compared with what, and which tuning of a sweep is the best.
#include <gtest/gtest.h>

#include "analysis/findings.hpp"
#include "measurements.hpp"

namespace {

using namespace parity;
using namespace parity::analysis;
using harness::Measurement;

const harness::Values problem = {{"nx", std::int64_t(8)}}, other = {{"nx", std::int64_t(9)}};

TEST(Origins, AreCommitAndDevice) {
  const Measurement row = test::row("diffusion", "cuda-fused", problem, {1});
  Measurement commit = row, modified = row, device = row, run = row;
  commit.run.commit = "b";
  modified.run.modified = true;
  device.run.device = "GPU B";
  run.run.id = "another run of the same";
  Measurement otherwise = modified;
  otherwise.run.changes = "abcdef012345";
  const auto origins = by_origin({row, commit, modified, device, run, commit, otherwise});
  ASSERT_EQ(origins.size(), 5u);
  EXPECT_EQ(origins[0].rows.size(), 2u) << "runs of one commit and device belong together";
  EXPECT_EQ(origins[1].rows.size(), 2u);
  EXPECT_EQ(origins[1].places, (std::vector<std::size_t>{1, 5}));
  EXPECT_NE(origins[1].text.find("commit b"), std::string::npos);
  EXPECT_NE(origins[2].text.find("modified"), std::string::npos);
  EXPECT_NE(origins[3].text.find("GPU B"), std::string::npos);
  EXPECT_NE(origins[4].text.find("modified, abcdef012345"), std::string::npos)
      << "two modified trees of one commit are two";
}

TEST(LatestRuns, AreTheLatestOfEachThingByItself) {
  std::vector<Measurement> rows;
  const auto add = [&rows](const char* run, const char* kernel) {
    rows.push_back(test::row("diffusion", kernel, problem, {1}));
    rows.back().run.id = run;
  };
  add("2026-01-02", "cuda-a"), add("2026-01-03", "cuda-a"), add("2026-01-03", "cuda-a"),
      add("2026-01-01", "cuda-a"), add("2026-01-01", "cuda-b"), add("2026-01-09", "cuda-c");
  const auto found = of_latest_runs(
      rows, [](const Measurement& m) { return m.kernel == "cuda-c" ? std::string() : m.kernel; });
  EXPECT_EQ(found, (std::vector<const Measurement*>{&rows[1], &rows[2], &rows[4]}))
      << "all rows of the latest run; the only one however old; none of what is not asked for";
}

Measurement tuned(const char* kernel, const harness::Values& p, const char* tuning,
                  const std::vector<double>& seconds, const char* twin = "") {
  return test::row("diffusion", kernel, p, seconds, twin, "stream", tuning);
}

TEST(TuningSweep, UnequalBudgetsAreNamed) {
  std::vector<Measurement> rows = {tuned("kokkos-fused", problem, "1", {3}, "cuda-fused"),
                                   tuned("kokkos-fused", problem, "2", {1}, "cuda-fused"),
                                   tuned("cuda-fused", problem, "1", {1})};
  const auto lines = unequal_budgets(rows);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("kokkos-fused was tried with 2 tunings, its twin cuda-fused with 1"),
            std::string::npos)
      << lines[0];
  rows.push_back(tuned("cuda-fused", problem, "2", {1}));
  EXPECT_TRUE(unequal_budgets(rows).empty());
  rows.resize(2);
  EXPECT_EQ(unequal_budgets(rows).size(), 1u) << "a twin that was not tuned at all";
  rows = {test::row("diffusion", "kokkos-fused-1d", problem, {3}, "cuda-fused-1d"),
          tuned("cuda-fused-1d", problem, "64", {1}), tuned("cuda-fused-1d", problem, "256", {2})};
  ASSERT_EQ(unequal_budgets(rows).size(), 1u) << "a portable side that was not";
  EXPECT_NE(unequal_budgets(rows)[0].find("kokkos-fused-1d was tried with 0 tunings"), std::string::npos);
}

TEST(TuningSweep, AGraphsTwinIsTheCaptureOfTheSameSchedule) {
  std::vector<Measurement> rows = {tuned("kokkos-fused", problem, "1", {3}, "cuda-fused"),
                                   tuned("cuda-fused", problem, "1", {1})};
  rows[0].mechanism = "kokkos-graph-two", rows[1].mechanism = "graph-two";
  EXPECT_TRUE(unequal_budgets(rows).empty());
  rows[1].mechanism = "graph-copy";
  EXPECT_EQ(unequal_budgets(rows).size(), 1u);
}

}  // namespace

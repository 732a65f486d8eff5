// SPDX-License-Identifier: BSD-3-Clause
// The first original work's conclusions from records whose answer is known.
#include <gtest/gtest.h>

#include "analysis/findings.hpp"
#include "measurements.hpp"

namespace {

using namespace parity;
using namespace parity::analysis;
using harness::Measurement;

Measurement record(const std::string& kernel, const std::string& mechanism, int n, int steps,
                   const std::vector<double>& seconds, double capture_seconds = 0) {
  const std::int64_t side = n;
  Measurement m = test::row("diffusion", kernel,
                            {{"nx", side},
                             {"ny", side},
                             {"nz", std::int64_t(64)},
                             {"steps", std::int64_t(steps)},
                             {"precision", "double"}},
                            seconds, "", mechanism);
  m.capture_seconds = capture_seconds;
  return m;
}

TEST(Findings, BreakEvenCountsTheCapture) {
  std::vector<Measurement> records;
  for (const int steps : {1, 10, 100, 1000}) {
    records.push_back(record("cuda-baseline", "stream", 128, steps, {4e-6 * steps}));
    records.push_back(record("cuda-baseline", "graph-two", 128, steps, {3e-6 * steps}, 50e-6));
    records.push_back(record("cuda-baseline", "graph-copy", 128, steps, {5e-6 * steps}, 50e-6));
  }
  const auto found = diffusion_findings(records).break_even;
  ASSERT_EQ(found.size(), 2u);
  for (const BreakEven& b : found) {
    if (b.variant == "cuda-baseline+graph-two") {
      ASSERT_TRUE(b.steps.has_value());
      EXPECT_NEAR(*b.steps, 50.0, 1e-6);
      EXPECT_EQ(b.measured_at, 100);
      EXPECT_NEAR(b.capture_seconds, 50e-6, 1e-12);
    } else {
      EXPECT_LT(b.saved_per_step, 0);
      EXPECT_FALSE(b.steps.has_value());
      EXPECT_FALSE(b.measured_at.has_value());
    }
  }
}

/// What a difference between starts leaves open is not certain.
TEST(Findings, IntervalsDecideWhatIsCertain) {
  std::vector<Measurement> records;
  for (const int n : {16, 32, 64}) {
    records.push_back(record("cuda-baseline", "graph-two", n, 100, {1.00, 1.10, 1.05}));
    // Start by start 2, 1 and 40 % faster.
    records.push_back(record("cuda-laplacian-1d", "stream", n, 100, {0.98, 1.09, 0.75}));
    // Noisier, but always twice as fast as the graph of the same start.
    records.push_back(record("cuda-field-update", "stream", n, 100, {0.50, 0.55, 0.525}));
    // Certain but for the smallest.
    const double noise = n == 16 ? 0.4 : 0;
    records.push_back(record("cuda-halo-update", "stream", n, 100, {0.6, 0.6 + noise, 0.6 - noise}));
  }
  const auto found = diffusion_findings(records).thresholds;
  ASSERT_EQ(found.size(), 3u);
  for (const Threshold& t : found) {
    EXPECT_EQ(t.from, 16) << t.kernel;
    if (t.kernel == "cuda-laplacian-1d") {
      EXPECT_FALSE(t.certain_from);
    }
    if (t.kernel == "cuda-field-update") {
      EXPECT_EQ(t.certain_from, 16);
    }
    if (t.kernel == "cuda-halo-update") {
      EXPECT_EQ(t.certain_from, 32);
    }
  }
}

const harness::Values small = {{"nx", std::int64_t(8)}};

Measurement tuned(const char* kernel, const char* tuning, const std::vector<double>& seconds,
                  const char* twin = "") {
  return test::row("diffusion", kernel, small, seconds, twin, "stream", tuning);
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

}  // namespace

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
                   const std::vector<double>& seconds, double capture_seconds = 0,
                   const std::string& tuning = "") {
  const std::int64_t side = n;
  Measurement m = test::row("diffusion", kernel,
                            {{"nx", side},
                             {"ny", side},
                             {"nz", std::int64_t(64)},
                             {"steps", std::int64_t(steps)},
                             {"precision", "double"}},
                            seconds, "", mechanism, tuning);
  m.capture_seconds = capture_seconds;
  m.floor = kernel == "cuda-empty";
  return m;
}

TEST(Findings, ThresholdIsTheSizeFromWhichAKernelStaysFaster) {
  std::vector<Measurement> records;
  for (const int n : {16, 32, 64, 128}) {
    records.push_back(record("cuda-baseline", "graph-two", n, 1025, {2.0}));
    records.push_back(record("cuda-baseline", "graph-unrolled", n, 1025, {1.0}));
    // Faster at 16 by chance, slower at 32, faster from 64 on.
    records.push_back(record("cuda-laplacian-1d", "stream", n, 1025, {n == 32 ? 1.5 : 0.5}));
    records.push_back(record("cuda-halo-update", "stream", n, 1025, {3.0}));
    // The better tuning counts.
    records.push_back(record("cuda-fused", "stream", n, 1025, {9.0}, 0, "1x256"));
    records.push_back(record("cuda-fused", "stream", n, 1025, {0.1}, 0, "2x128"));
    records.push_back(record("cuda-empty", "stream", n, 1025, {0.01}));
  }
  const auto found = diffusion_findings(records).thresholds;
  ASSERT_EQ(found.size(), 3u);  // the floor is none
  for (const Threshold& t : found) {
    if (t.kernel == "cuda-laplacian-1d") {
      EXPECT_EQ(t.from, 64);
      EXPECT_EQ(t.published, "128");
    }
    if (t.kernel == "cuda-halo-update") {
      EXPECT_FALSE(t.from.has_value());
    }
    if (t.kernel == "cuda-fused") {
      EXPECT_EQ(t.from, 16);
      EXPECT_EQ(t.published, "0");
    }
  }
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

TEST(Findings, SpeedUpIsOverTheFamilysOwnBaselineAndOverCuPys) {
  std::vector<Measurement> records = {
      record("cupy-baseline", "stream", 16, 1025, {30.0}), record("cuda-baseline", "stream", 16, 1025, {6.0}),
      record("cuda-fused", "stream", 16, 1025, {1.0}), record("cuda-fused", "graph-whole", 16, 1025, {0.5})};
  Measurement wrong = record("cuda-fused-wrap", "stream", 16, 1025, {1e-9});
  wrong.verdict.error = 1;
  records.push_back(wrong);
  double own = 0, over_cupy = 0;
  for (const SpeedUp& s : diffusion_findings(records).speed_ups) {
    if (s.variant != "cuda-fused+graph-whole") continue;
    EXPECT_FALSE(s.factor.interval) << "of one start";
    (s.baseline == "cupy-baseline" ? over_cupy : own) = s.factor.value;
  }
  EXPECT_NEAR(own, 12.0, 1e-9);
  EXPECT_NEAR(over_cupy, 60.0, 1e-9);
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

}  // namespace

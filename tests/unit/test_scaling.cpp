// SPDX-License-Identifier: BSD-3-Clause
// The model of scaling on records whose answer is known.
#include <gtest/gtest.h>

#include "analysis/scaling.hpp"
#include "measurements.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity;
using analysis::Extrapolated;
using analysis::Scaling;
using harness::Measurement;
using harness::Values;

constexpr double us = 1e-6;

Values problem(std::int64_t nx, std::int64_t ny, std::int64_t nz, int x, int y, int z) {
  Values p = {{"nx", nx},
              {"ny", ny},
              {"nz", nz},
              {"halo", std::int64_t(2)},
              {"steps", std::int64_t(10)},
              {"precision", std::string("float")}};
  if (x > 1) p["ranks_x"] = std::int64_t(x);
  if (y > 1) p["ranks_y"] = std::int64_t(y);
  if (z > 1) p["ranks_z"] = std::int64_t(z);
  return p;
}

/// step: seconds of each of ten steps.
Measurement diffusion(const std::string& kernel, const Values& p, double step, double bytes = 0,
                      int exchanges = 10, const std::string& tuning = "") {
  Measurement m = test::row("diffusion", kernel, p, {10 * step}, "", "stream", tuning);
  m.run.device = "a machine";
  m.model.bytes = 10 * 8.0 * double(m.integer("nx") * m.integer("ny") * m.integer("nz"));
  m.metrics.push_back({"nodes", 1, "1", harness::Better::neither});
  m.metrics.push_back({"bytes_sent", bytes, "B", harness::Better::neither});
  m.metrics.push_back({"exchanges", double(exchanges), "1", harness::Better::neither});
  return m;
}

/// Latency of 5 us, 1 GB/s: of 'bytes' to one other rank and back from it at once.
Measurement message(const std::string& quantity, std::int64_t bytes, double seconds, int ranks = 2,
                    bool leaves = false) {
  Measurement m =
      test::row("launch", "openmp-messages",
                {{"quantity", quantity}, {"bytes", bytes}, {"ranks", std::int64_t(ranks)}}, {seconds});
  m.run.device = "a machine";
  m.metrics.push_back({"leaves_node", leaves ? 1.0 : 0.0, "1", harness::Better::neither});
  return m;
}
double carried(double bytes) { return 5 * us + bytes / 1e9; }

std::vector<Measurement> messages() {
  return {message("neighbours", 1000, carried(1000)), message("neighbours", 100000, carried(100000))};
}

Scaling of(std::vector<Measurement>& rows, int most = 1024) { return analysis::scaling_of(rows, most, 4); }

TEST(Scaling, AStepIsItsKernelsAndItsMessages) {
  std::vector<Measurement> rows = messages();
  rows.push_back(diffusion("openmp-fused-exchange", problem(64, 64, 4, 1, 1, 1), 40 * us));
  // Two ranks: the same part each, a message of 20000 bytes in each step.
  rows.push_back(diffusion("openmp-fused-exchange", problem(64, 128, 4, 1, 2, 1), 70 * us, 20000));
  const Scaling s = of(rows);
  ASSERT_EQ(s.rows.size(), 1u);
  EXPECT_EQ(s.rows[0].missing, "");
  EXPECT_NEAR(s.rows[0].kernel, 40 * us, 1e-12);
  EXPECT_NEAR(s.rows[0].messages, 25 * us, 1e-12);
  EXPECT_NEAR(s.rows[0].predicted, 65 * us, 1e-12);
  EXPECT_NEAR(s.rows[0].error(), 65.0 / 70 - 1, 1e-9);
  EXPECT_NEAR(s.rows[0].weak.value(), 40.0 / 70, 1e-9);
  EXPECT_FALSE(s.rows[0].strong);
}

TEST(Scaling, WhatIsOverlappedTakesTheLongerOfBoth) {
  for (const double kernel : {10 * us, 40 * us}) {
    std::vector<Measurement> rows = messages();
    rows.push_back(diffusion("openmp-fused-overlap", problem(64, 64, 4, 1, 1, 1), kernel));
    rows.push_back(diffusion("openmp-fused-overlap", problem(64, 128, 4, 1, 2, 1), 50 * us, 20000));
    EXPECT_NEAR(of(rows).rows.at(0).predicted, std::max(kernel, 25 * us), 1e-12);
  }
}

/// One rank has nothing for NCCL to carry: its kernels are those of the row by MPI, its messages are not.
TEST(Scaling, RowsByNcclTakeItsMessages) {
  const auto on_gpu = [](Measurement m, const std::string& transport) {
    m.family = harness::Family::cuda;
    m.device_seconds = m.host_seconds;
    m.problem["messages"] = transport;
    return m;
  };
  std::vector<Measurement> rows = {
      on_gpu(message("neighbours", 20000, 25 * us), "staged"),
      on_gpu(message("neighbours", 20000, 60 * us), "nccl"),
      on_gpu(diffusion("cuda-fused-overlap", problem(64, 64, 4, 1, 1, 1), 40 * us), "staged"),
      on_gpu(diffusion("cuda-fused-overlap", problem(64, 128, 4, 1, 2, 1), 50 * us, 20000), "staged"),
      on_gpu(diffusion("cuda-fused-overlap-nccl", problem(64, 128, 4, 1, 2, 1), 50 * us, 20000), "staged")};
  const Scaling s = of(rows);
  ASSERT_EQ(s.rows.size(), 2u);
  EXPECT_NEAR(s.rows[0].predicted, 40 * us, 1e-12);
  EXPECT_NEAR(s.rows[1].predicted, 60 * us, 1e-12);
  EXPECT_NEAR(s.rows[1].kernel, 40 * us, 1e-12);
}

TEST(Scaling, RowsThatDoNotSayWhatTheySentHaveNoPrediction) {
  std::vector<Measurement> rows = messages();
  rows.push_back(diffusion("openmp-fused-exchange", problem(64, 64, 4, 1, 1, 1), 40 * us));
  rows.push_back(diffusion("openmp-fused-exchange", problem(64, 128, 4, 1, 2, 1), 70 * us, 0, 0));
  EXPECT_NE(of(rows).rows.at(0).missing.find("records of before"), std::string::npos);
}

TEST(Scaling, DeepHalosAreExchangedOnceInSeveralSteps) {
  std::vector<Measurement> rows = messages();
  rows.push_back(diffusion("openmp-fused-deep", problem(64, 64, 4, 1, 1, 1), 3 * us, 0, 0, "5"));
  rows.push_back(diffusion("openmp-fused-deep", problem(64, 128, 4, 1, 2, 1), 10 * us, 95000, 2, "5"));
  EXPECT_NEAR(of(rows).rows.at(0).predicted, 2.0 / 10 * 100 * us, 1e-12);
}

TEST(Scaling, SharedPlanesNeedNoMessages) {
  std::vector<Measurement> rows = {diffusion("openmp-fused", problem(64, 64, 4, 1, 1, 1), 40 * us),
                                   diffusion("openmp-fused", problem(64, 64, 8, 1, 1, 1), 75 * us),
                                   diffusion("openmp-fused", problem(64, 64, 8, 1, 1, 2), 41 * us)};
  const Scaling s = of(rows);
  ASSERT_EQ(s.rows.size(), 1u);
  EXPECT_NEAR(s.rows[0].predicted, 40 * us, 1e-12);
  EXPECT_NEAR(s.rows[0].weak.value(), 40.0 / 41, 1e-9);
  EXPECT_NEAR(s.rows[0].strong.value(), 75.0 / 82, 1e-9);
  EXPECT_TRUE(s.extrapolated.empty());
}

TEST(Scaling, APartThatWasNotMeasuredLiesBetweenThoseThatWere) {
  std::vector<Measurement> rows = {diffusion("openmp-fused", problem(100, 10, 1, 1, 1, 1), 10 * us),
                                   diffusion("openmp-fused", problem(100, 30, 1, 1, 1, 1), 20 * us),
                                   diffusion("openmp-fused", problem(100, 20, 2, 1, 1, 2), 16 * us)};
  EXPECT_NEAR(of(rows).rows.at(0).predicted, 15 * us, 1e-12);
  rows.erase(rows.begin());
  EXPECT_NEAR(of(rows).rows.at(0).predicted, 20.0 / 1.5 * us, 1e-12) << "of one size in proportion";
}

TEST(Scaling, WhatIsMissingIsNamed) {
  std::vector<Measurement> rows = {
      diffusion("openmp-fused-exchange", problem(64, 128, 4, 1, 2, 1), 70 * us, 20000)};
  EXPECT_NE(of(rows).rows.at(0).missing.find("on one rank"), std::string::npos);
  rows.push_back(diffusion("openmp-fused-exchange", problem(64, 64, 4, 1, 1, 1), 40 * us));
  EXPECT_NE(of(rows).rows.at(0).missing.find("messages on a node"), std::string::npos);
  // Messages of another machine, or to another node, are others.
  rows.push_back(message("neighbours", 1000, us, 2, /*leaves=*/true));
  rows.push_back(message("neighbours", 1000, us));
  rows.back().run.device = "another";
  EXPECT_NE(of(rows).rows.at(0).missing, "");
  rows.push_back(message("round-trip", 1000, 2 * us));
  EXPECT_EQ(of(rows).rows.at(0).missing, "");
  EXPECT_NEAR(of(rows).rows.at(0).messages, us, 1e-12) << "half a round trip";
}

TEST(Scaling, WrongRowsDoNotCountAndNoRowsAreRefused) {
  std::vector<Measurement> rows = messages();
  rows.push_back(diffusion("openmp-fused", problem(64, 64, 4, 1, 1, 1), 40 * us));
  EXPECT_THROW(of(rows), runtime::UsageError);
  rows.push_back(diffusion("openmp-fused", problem(64, 64, 8, 1, 1, 2), 41 * us));
  EXPECT_EQ(of(rows).rows.size(), 1u);
  rows.back().verdict.error = 1;
  EXPECT_THROW(of(rows), runtime::UsageError);
}

/// Weak: the kernel stays, messages go to the node's ranks and then to other nodes'. Strong: parts shrink.
TEST(Scaling, IsCarriedOnToMoreRanks) {
  std::vector<Measurement> rows = messages();
  rows.push_back(message("neighbours", 1000, 2 * carried(1000), 2, true));
  rows.push_back(message("neighbours", 100000, 2 * carried(100000), 2, true));
  rows.push_back(diffusion("openmp-fused-exchange", problem(256, 256, 4, 1, 1, 1), 400 * us));
  rows.push_back(diffusion("openmp-fused-exchange", problem(128, 128, 4, 1, 1, 1), 100 * us));
  rows.push_back(diffusion("openmp-fused-exchange", problem(256, 512, 4, 1, 2, 1), 470 * us, 20000));
  const Scaling s = of(rows, 16);
  const auto at = [&s](bool strong, int ranks) {
    for (const Extrapolated& e : s.extrapolated)
      if (e.strong == strong && e.ranks == ranks) return e;
    ADD_FAILURE() << ranks;
    return Extrapolated();
  };
  EXPECT_NEAR(at(false, 1).efficiency, 1, 1e-12);
  // Rows of 256 points and corners, two on each side, four planes of four bytes.
  const double of_two = 4 * 4 * (2 * 2 * 256 + 4 * 2 * 2);
  EXPECT_NEAR(at(false, 2).messages, carried(of_two), 1e-12);
  EXPECT_NEAR(at(false, 2).efficiency, 400 * us / (400 * us + carried(of_two)), 1e-9);
  const double of_four = 4 * 4 * (2 * 2 * 2 * 256 + 4 * 2 * 2);
  EXPECT_NEAR(at(false, 4).messages, carried(of_four), 1e-12);
  EXPECT_NEAR(at(false, 8).messages, 2 * carried(of_four), 1e-12) << "on other nodes";
  EXPECT_FALSE(at(false, 16).beyond);
  EXPECT_NEAR(at(true, 4).kernel, 100 * us, 1e-12) << "a part of 128 x 128";
  EXPECT_NEAR(at(true, 4).efficiency, 400 * us / (4 * at(true, 4).seconds), 1e-9);
  EXPECT_TRUE(at(true, 16).beyond) << "parts smaller than any that was measured";
  EXPECT_EQ(s.extrapolated.size(), 10u);
  for (const std::string& a : s.assumptions)
    EXPECT_EQ(a.find("no message to another node"), std::string::npos);
  // Without messages to other nodes it is said whose stand for them.
  rows.erase(rows.begin() + 2, rows.begin() + 4);
  bool said = false;
  for (const std::string& a : of(rows, 16).assumptions)
    said = said || a.find("no message to another node") == 0;
  EXPECT_TRUE(said);
}

TEST(Scaling, PublishedMachinesTakeTheirTrafficOverTheirBandwidth) {
  std::vector<Measurement> rows = messages();
  rows.push_back(diffusion("openmp-fused-exchange", problem(256, 256, 4, 1, 1, 1), 400 * us));
  rows.push_back(diffusion("openmp-fused-exchange", problem(256, 512, 4, 1, 2, 1), 470 * us, 20000));
  const Scaling s = of(rows, 2);
  ASSERT_EQ(s.predictions.size(), 2u);
  const auto& p = s.predictions[0];
  EXPECT_EQ(std::string(p.machine->name).substr(0, 4), "P100");
  EXPECT_NEAR(p.one, 8.0 * 256 * 256 * 4 / 732e9, 1e-15);
  const double bytes = 4 * 4 * (2 * 2 * 2 * 256 + 4 * 2 * 2);
  EXPECT_NEAR(p.node, p.one + bytes / 80e9, 1e-15);
  EXPECT_NEAR(p.many, p.one + bytes / 3.125e9, 1e-15);
}

Measurement ring(std::int64_t n, int ranks, double seconds) {
  Values p = {{"n", n}, {"precision", std::string("float")}};
  if (ranks > 1) p["ranks"] = std::int64_t(ranks);
  Measurement m = test::row("kde", "openmp-ring", p, {seconds});
  m.run.device = "a machine";
  return m;
}

TEST(Scaling, ARingHidesItsHopsBehindItsBlocks) {
  // A pair takes a nanosecond: 40000 samples 1.6 s on one rank, a block of four ranks 0.1 s.
  std::vector<Measurement> rows = messages();
  rows.push_back(ring(40000, 1, 1.6));
  rows.push_back(ring(40000, 4, 0.5));
  const Scaling s = of(rows, 4);
  ASSERT_EQ(s.rows.size(), 1u);
  EXPECT_EQ(s.rows[0].missing, "");
  EXPECT_NEAR(s.rows[0].kernel, 0.4, 1e-12);
  EXPECT_NEAR(s.rows[0].messages, 3 * carried(40000), 1e-12);
  EXPECT_NEAR(s.rows[0].predicted, 0.4, 1e-12);
  EXPECT_NEAR(s.rows[0].error(), 0.4 / 0.5 - 1, 1e-9);
  EXPECT_NEAR(s.rows[0].strong.value(), 1.6 / (4 * 0.5), 1e-9);
  EXPECT_FALSE(s.rows[0].weak);
  ASSERT_EQ(s.extrapolated.size(), 3u);
  EXPECT_NEAR(s.extrapolated[2].seconds, 0.4, 1e-12);
  EXPECT_NEAR(s.extrapolated[2].efficiency, 1, 1e-12);
}

TEST(Scaling, AHopThatTakesLongerThanABlockIsWaitedFor) {
  std::vector<Measurement> rows = messages();
  rows.push_back(ring(1000, 1, 40 * us));
  rows.push_back(ring(1000, 4, 30 * us));
  const Scaling s = of(rows, 1024);
  // Blocks of 2.5 us; hops of 1000 bytes.
  EXPECT_NEAR(s.rows.at(0).predicted, 2.5 * us + 3 * carried(1000), 1e-12);
  for (const Extrapolated& e : s.extrapolated) EXPECT_LE(e.ranks, 1000);
}

TEST(Scaling, ARingWithoutItsMessagesIsNotPredicted) {
  std::vector<Measurement> rows = {ring(1000, 1, 40 * us), ring(1000, 2, 30 * us)};
  const Scaling s = of(rows);
  EXPECT_EQ(s.rows.at(0).missing, "messages on a node of hosts of a machine");
  ASSERT_EQ(s.extrapolated.size(), 1u);
  std::vector<Measurement> several = {ring(1000, 2, 30 * us)};
  EXPECT_EQ(of(several).rows.at(0).missing, "a row of the same variant on one rank");
}

}  // namespace

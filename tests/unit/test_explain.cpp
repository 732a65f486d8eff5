// SPDX-License-Identifier: BSD-3-Clause
// parity explain: terms of a time from figures that are known.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "analysis/explain.hpp"
#include "device_records.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity;
using namespace parity::analysis;
using harness::Measurement;

const char* const header =
    "kernel,tuning,precision,launches,grows_with,fields,side,planes,threads,blocks,instructions,"
    "l1_wavefronts,l2_bytes,memory_bytes,seconds,source\n";

std::string written(const std::string& text) {
  const std::string path = testing::TempDir() + "kernels.csv";
  std::ofstream(path) << text;
  return path;
}

/// Two kernels a step, each of 1e6 warp instructions for a million points.
KernelTable counted() {
  return KernelTable::read(
      written(header + std::string("cuda-x,8x32,float,2,field,2,100,100,128,7813,1e6,0,0,8e6,,a\n"
                                   "cuda-x,,float,1,field,2,100,100,128,7813,9e6,0,0,8e6,,b\n")));
}

Measurement diffusion_row(const char* mechanism, double launches, double submissions, double bytes) {
  const std::int64_t n = 100;
  Measurement m = test::row(
      "diffusion", "cuda-x",
      {{"nx", n}, {"ny", n}, {"nz", n}, {"steps", n}, {"halo", std::int64_t(2)}, {"precision", "float"}},
      {2e-3}, "", mechanism, "8x32");
  m.model.launches = launches;
  m.model.submissions = submissions;
  m.model.bytes = bytes;
  m.model.flops = 1;
  return m;
}

Explained explained(const Measurement& m, const KernelTable& kernels) {
  const Explanation x = explain({m}, costs_of(test::device_records()), kernels);
  EXPECT_EQ(x.rows.size(), 1u);
  return x.rows.empty() ? Explained() : x.rows[0];
}

// 200 kernels of 5 MB at 1 TB/s and 1e6 instructions at 1e12: the cube root of 5^3 + 1^3 us each, and half a
// microsecond that a kernel takes to touch memory.
const double a_kernel = std::cbrt(126.0) * 1e-6 + 0.5e-6;

TEST(Explain, SplitsATime) {
  const Explained e = explained(diffusion_row("stream", 200, 200, 1e9), counted());
  EXPECT_NEAR(e.modelled(), 7e-6 + 200 * (1e-6 + a_kernel), 1e-9);
  EXPECT_EQ(e.reason(), Term::memory);
  EXPECT_NEAR(e.terms[std::size_t(Term::latency)], 200 * 0.5e-6, 1e-9);
  EXPECT_NEAR(e.terms[std::size_t(Term::launches)], 7e-6 + 200 * 1e-6, 1e-9);
  EXPECT_NEAR(e.rest(), 2e-3 - e.modelled(), 1e-12);
  EXPECT_NEAR(e.traffic.memory_bytes, 1e9, 1);
}

TEST(Explain, AHostThatIsSlowerThanItsKernelsCounts) {
  Measurement m = diffusion_row("stream", 200, 200, 1e6);
  m.tuning = "small";
  const KernelTable small = KernelTable::read(
      written(header + std::string("cuda-x,small,float,2,field,2,100,100,128,7813,1e5,0,0,8e6,,a\n")));
  // On the device 1.6 us a kernel, on the host 2 us a launch.
  const Explained e = explained(m, small);
  EXPECT_NEAR(e.modelled(), 7e-6 + 200 * 2e-6, 1e-9);
  EXPECT_EQ(e.reason(), Term::launches);
}

TEST(Explain, AGraphCostsItsNodes) {
  // 100 graphs of two nodes: 4 us each.
  const Explained e = explained(diffusion_row("graph-two", 200, 100, 1e9), counted());
  EXPECT_NEAR(e.modelled(), 7.5e-6 + 100 * 4e-6 + 200 * a_kernel, 1e-9);
}

TEST(Explain, IdleMultiprocessorsComputeNothing) {
  harness::Records r = test::device_records();
  r.environments[0].multiprocessors = 2 * 7813;
  const Explanation x = explain({diffusion_row("stream", 200, 200, 0)}, costs_of(r), counted());
  ASSERT_EQ(x.rows.size(), 1u);
  EXPECT_NEAR(x.rows[0].traffic.instructions, 200 * 1e6, 1);
  EXPECT_NEAR(x.rows[0].terms[std::size_t(Term::instructions)], 200 * 2e-6, 1e-9) << "half of them work";
}

TEST(Explain, SaysWhatItHasNoTermFor) {
  Measurement r = diffusion_row("graph-while-2", 251, 1, 1e9);
  const Costs costs = costs_of(test::device_records());
  const auto why = [&](const Measurement& m, const KernelTable& kernels) {
    const Explanation x = explain({m, m}, costs, kernels);
    EXPECT_TRUE(x.rows.empty());
    if (x.others.size() != 1) return std::string("not one reason");
    EXPECT_EQ(x.others[0].rows, 2u);
    return x.others[0].why;
  };
  EXPECT_NE(why(r, counted()).find("a graph's loop"), std::string::npos);
  EXPECT_NE(why(diffusion_row("stream", 200, 200, 1e9), {}).find("--kernels"), std::string::npos);
  EXPECT_NE(why(diffusion_row("graph-two", 200, 0, 1e9), counted()).find("how often graphs"),
            std::string::npos);
  r = diffusion_row("stream", 200, 200, 1e9);
  r.family = harness::Family::cupy;
  EXPECT_NE(why(r, counted()).find("launched"), std::string::npos);
  r.verdict.error = 1;
  EXPECT_TRUE(explain({r}, costs, counted()).others.empty()) << "a wrong row has no time";
}

TEST(Explain, ATuningHasItsOwnCounters) {
  const KernelTable k = counted();
  EXPECT_EQ(k.find("cuda-x", "8x32", "float")->front().instructions, 1e6);
  EXPECT_EQ(k.find("cuda-x", "4x32", "float")->front().instructions, 9e6);
  EXPECT_EQ(k.find("cuda-x", "8x32", "double"), nullptr);
  EXPECT_EQ(k.block_rate(), 0);
  EXPECT_EQ(k.sources(), (std::vector<std::string>{"a", "b"}));
}

/// Rows whose times are exactly what these latencies make of them.
std::vector<RowModel> rows_with(const Latencies& truth, const std::string& algorithm, int rows) {
  std::vector<RowModel> all;
  for (int i = 1; i <= rows; ++i) {
    RowModel m;
    m.samples_wait = true;
    m.row.algorithm = algorithm;
    m.once = 1e-6;
    m.chained = 100.0 * i, m.alone = 1000.0 * (i % 5), m.gaps = 1e-7 * (i % 3);
    m.row.measured = predicted(m, truth);
    all.push_back(m);
  }
  return all;
}

TEST(Explain, LatenciesComeFromOtherAlgorithms) {
  const Latencies truth{3e-9, 0.8e-9, 9e-6};
  std::vector<RowModel> models = rows_with(truth, "a", 40);
  for (const RowModel& m : rows_with({30e-9, 8e-9, 90e-6}, "b", 40)) models.push_back(m);
  const Latencies l = latencies_without("b", models);
  EXPECT_EQ(l.rows, 40u);
  EXPECT_NEAR(l.dependent / truth.dependent, 1, 0.03);
  EXPECT_NEAR(l.own / truth.own, 1, 0.05);
  EXPECT_NEAR(l.around / truth.around, 1, 0.03);
  EXPECT_NEAR(latencies_without("a", models).around / 90e-6, 1, 0.03);
  EXPECT_EQ(latencies_without("a", rows_with(truth, "a", 40)).rows, 0u) << "nothing of its own";
}

TEST(Explain, OnAHostBytesTakeWhatACopyOfTheirWorkingSetDoes) {
  Costs costs;  // 10 GB/s within 1 MB, 2 GB/s from 9 MB on
  costs.streams.add(1e6, 10e9), costs.streams.add(9e6, 2e9);
  const auto explained_with = [&costs](double working_set) {
    Measurement m = diffusion_row("stream", 200, 200, 1e6);
    if (working_set > 0) m.metrics.push_back({"working_set", working_set, "B", harness::Better::neither});
    return explain({m}, costs, {});
  };
  for (const auto& [working_set, rate] : {std::pair(1e5, 10e9), {5e6, 6e9}, {9e6, 2e9}, {1e8, 2e9}}) {
    const Explanation x = explained_with(working_set);
    ASSERT_EQ(x.rows.size(), 1u);
    EXPECT_NEAR(x.rows[0].modelled(), 1e6 / rate, 1e-12) << working_set;
    EXPECT_EQ(x.rows[0].traffic.memory_rate, rate) << working_set;
    EXPECT_EQ(x.rows[0].clamped, working_set > 9e6);
  }
  EXPECT_NE(explained_with(0).others.at(0).why.find("working set"), std::string::npos);
}

}  // namespace

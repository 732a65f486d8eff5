// SPDX-License-Identifier: BSD-3-Clause
// Statistics, names, tunings, selection, and the .npy header.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "diffusion/selection.hpp"
#include "io/npy.hpp"
#include "study/error.hpp"
#include "study/runner.hpp"
#include "study/statistics.hpp"
#include "study/suggest.hpp"

namespace {

using namespace parity;
using namespace parity::study;

TEST(Statistics, OrderStatistics) {
  const Summary s = summarise({5, 1, 4, 2, 3});
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.minimum, 1);
  EXPECT_EQ(s.maximum, 5);
  EXPECT_EQ(s.lower_quartile, 2);
  EXPECT_EQ(s.mean, 3);
  EXPECT_EQ(summarise({}).count, 0);
  EXPECT_EQ(summarise({7}).median, 7);
}

TEST(Statistics, MedianIntervalMatchesBinomialTables) {
  // For n = 32 the 95 % interval is order statistics 10 and 23 (from 1); for n = 9 it is 2 and 8; for 6 it is
  // 1 and 6.
  for (const auto& [n, low, high] : {std::tuple{32, 10, 23}, {9, 2, 8}, {6, 1, 6}}) {
    std::vector<double> samples;
    for (int i = 1; i <= n; ++i) samples.push_back(i);
    const Summary s = summarise(samples);
    EXPECT_EQ(s.low, low) << n;
    EXPECT_EQ(s.high, high) << n;
  }
}

TEST(Statistics, MedianIntervalCoversTheMedian) {
  std::mt19937 generator(7);
  std::lognormal_distribution<double> skewed(0, 1);  // its median is 1
  int covered = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> samples(32);
    for (double& x : samples) x = skewed(generator);
    const Summary s = summarise(samples);
    covered += s.low <= 1 && 1 <= s.high;
  }
  EXPECT_GT(covered, 1880);
}

TEST(Statistics, RatioOfMedians) {
  const Ratio r = ratio_of_medians({2, 2.1, 1.9, 2, 2}, {1, 1, 1, 1.05, 0.95});
  EXPECT_DOUBLE_EQ(r.value, 2);
  EXPECT_LE(r.low, r.value);
  EXPECT_GE(r.high, r.value);
  EXPECT_LT(r.high - r.low, 0.4);
}

TEST(Suggest, NearestNames) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(did_you_mean("kokos-fused", {"kokkos-fused", "openmp-plane"}), "; did you mean kokkos-fused?");
  EXPECT_EQ(did_you_mean("xyzzy", {"kokkos-fused"}), "");
}

TEST(Tunings, AreListsOfNumbers) {
  EXPECT_EQ(parse_tuning("1x2x128")->values, (std::vector<int>{1, 2, 128}));
  for (const char* bad : {"", "x", "1x", "x1", "0x1", "-1", "1x2y", "1 x2", "99999999999", "1xx2"})
    EXPECT_FALSE(parse_tuning(bad)) << bad;
}

TEST(Selection, NamesGlobsAndTunings) {
  using namespace diffusion;
  EXPECT_EQ(select(registry(), {"openmp-plane"}).size(), 1u);
  EXPECT_EQ(select(registry(), {"diffusion/openmp-plane/8"}).front().name(), "openmp-plane/8");
  EXPECT_EQ(select(registry(), {"openmp-plane", "openmp-*"}).size(), select(registry(), {"openmp-*"}).size());
  EXPECT_GT(select(registry(), {"openmp-plane/*"}).size(), 3u);
  EXPECT_EQ(select(registry(), {"openmp-plane"}, {{"diffusion/openmp-plane", "16"}}).front().name(),
            "openmp-plane/16");
  for (const char* bad : {"openmp-plan", "openmp-plane/x", "openmp-plane/1x2", "openmp-fused/3", "kde/*"})
    EXPECT_THROW(select(registry(), {bad}), UsageError) << bad;
}

TEST(Registry, NamesAreUniqueAndTwinsExist) {
  std::vector<std::string> names;
  for (const auto& e : diffusion::registry()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), e.name), 0) << e.name;
    names.push_back(e.name);
    EXPECT_EQ(e.name.rfind(name(e.family), 0), 0u) << e.name << " must begin with its family";
  }
  for (const auto& e : diffusion::registry()) {
    if (!e.twin.empty()) {
      EXPECT_EQ(std::count(names.begin(), names.end(), e.twin), 1) << e.twin;
    }
  }
}

class Counting : public Execution {
 public:
  void advance() override { ++advances; }
  void synchronise() override {}
  int advances = 0;
};

TEST(Runner, EveryVariantGetsItsSamples) {
  Counting a, b;
  RunOptions options;
  options.repeats = 5, options.enough = 5, options.warmup = 2;
  const auto samples = run({{"a", &a, [] {}}, {"b", &b, [] {}}}, options);
  EXPECT_EQ(a.advances, 7);
  EXPECT_EQ(b.advances, 7);
  EXPECT_EQ(samples[0].host_seconds.size(), 5u);
  EXPECT_EQ(samples[0].stop, "repeats");
}

TEST(Runner, TheTimeCapLeavesAtLeastOneSample) {
  Counting a;
  RunOptions options;
  options.time_cap = 0;
  const auto samples = run({{"a", &a, [] {}}}, options);
  EXPECT_EQ(samples[0].host_seconds.size(), 1u);
  EXPECT_EQ(samples[0].stop, "time cap");
}

std::string npy(const std::string& dictionary, char version = 1) {
  std::string text = std::string("\x93NUMPY") + version + '\0';
  text += char(dictionary.size() & 255);
  text += char(dictionary.size() >> 8);
  if (version > 1) text += std::string(2, '\0');
  return text + dictionary;
}

TEST(Npy, HeadersInEveryVersionAndOrder) {
  for (const char version : {1, 2, 3}) {
    const std::string h = npy("{'shape': (2, 3), 'fortran_order': False, 'descr': '>f8', }  \n", version);
    const auto header = io::parse_npy_header("x", h, std::int64_t(h.size()) + 48);
    EXPECT_EQ(header.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(header.item_bytes, 8);
    EXPECT_TRUE(header.swapped);
  }
}

TEST(Npy, BadHeadersAreRefused) {
  for (const char* bad : {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
                          "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }",
                          "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3), }",
                          "{'descr': '<f4', 'fortran_order': False}",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, }", "{", "",
                          "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (3037000500, 3037000500), }",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 1), }"}) {
    const std::string h = npy(bad);
    EXPECT_THROW(io::parse_npy_header("x", h, std::int64_t(h.size()) + 24), UsageError) << bad;
  }
}

}  // namespace

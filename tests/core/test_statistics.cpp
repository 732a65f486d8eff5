// SPDX-License-Identifier: BSD-3-Clause
// Intervals contain the next run's value with 95 % probability.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/statistics.hpp"

namespace {

using namespace parity::harness;

TEST(Estimate, IsTheMedianOfTheBlocksMedians) {
  const Estimate e = estimate(ByProcess{{11, 12, 19}, {13, 13, 13, 13}, {15}, {}});
  EXPECT_EQ(e.value, 13);
  EXPECT_EQ(e.processes, 3) << "an empty one is none";
  EXPECT_EQ(e.samples, 8);
  ASSERT_TRUE(e.interval);
  // Standard deviation of 12, 13, 15 is sqrt(7/3).
  EXPECT_NEAR(e.interval->high - e.value, half_width_factor(3) * std::sqrt(7.0 / 3), 1e-12);
  EXPECT_NEAR(e.value - e.interval->low, e.interval->high - e.value, 1e-12);
}

TEST(Estimate, OfPositiveTimesHasAPositiveInterval) {
  const Estimate times = estimate(ByProcess{{1}, {2}, {9}}),
                 differences = estimate(std::vector<double>{1, 2, 9});
  ASSERT_TRUE(times.interval && differences.interval);
  EXPECT_LT(differences.interval->low, 0) << "a difference may be lost in noise";
  EXPECT_GT(times.interval->low, 0);
  EXPECT_LT(times.interval->low, 1) << "the next run may be below the smallest sample";
  EXPECT_EQ(times.interval->high, differences.interval->high);
  EXPECT_LT(estimate(ByProcess{{-1}, {2}, {9}}).interval->low, 0);
  EXPECT_EQ(estimate(ByProcess{{0}, {2}, {9}}).interval->low, 0) << "less than a clock's tick";
  EXPECT_EQ(estimate(ByProcess{{3, 1, 4}, {2}, {9}}).least, 2) << "of processes, not of samples";
}

TEST(Estimate, ClaimsNoIntervalWithoutTheBlocksForOne) {
  EXPECT_FALSE(estimate(ByProcess{}).interval);
  EXPECT_FALSE(estimate(ByProcess{{1, 1, 1, 1, 1, 1, 1, 1, 1}}).interval)
      << "one process says nothing of the next";
  EXPECT_FALSE(estimate(ByProcess{{1}, {1}}).interval);
  EXPECT_FALSE(estimate(ByProcess{{1}}).relative_half_width());
  EXPECT_TRUE(estimate(ByProcess{{1}, {1}, {1}}).interval);
  EXPECT_EQ(text_of(estimate(ByProcess{{1.5}}), {}), "1.500 [n = 1]");
  EXPECT_EQ(text_of(estimate(ByProcess{{2}, {2}, {2}}), {1e3, 1}), "2000.0 [2000.0, 2000.0]");
}

TEST(Estimate, OfATimeHasTheUnitThatSuitsIt) {
  EXPECT_EQ(time_text(estimate(std::vector<double>{0.06, 0.06, 0.06})), "60 ms [60, 60]");
  EXPECT_EQ(time_text(estimate(ByProcess{{1.5}})), "1.5 s [n = 1]");
  EXPECT_EQ(time_text(estimate(ByProcess{{2.5e-6}})), "2.5 us [n = 1]");
  EXPECT_EQ(time_text(estimate(ByProcess{{-3e-9}})), "lost in noise");
  EXPECT_EQ(time_text(estimate(std::vector<double>{1e-6, 2e-6, -9e-6})).substr(0, 6), "below ");
  EXPECT_EQ(time_text(estimate(std::vector<double>{-1e-6, -1e-6, -1e-6})), "lost in noise");
  Estimate wide;
  wide.value = 0.5, wide.processes = 3, wide.interval = Interval{0.1, 0.9};
  EXPECT_EQ(time_text(wide), "500 ms [100, 900]");
  EXPECT_EQ(ratio_text(wide, 2), "hidden by noise");
  wide.interval->low = 0.25;
  EXPECT_EQ(ratio_text(wide, 2), "0.50 [0.25, 0.90]");
  wide.interval->high = 2.6;
  EXPECT_EQ(time_text(wide), "500 ms (noisy)");
  wide.interval.reset();
  EXPECT_EQ(ratio_text(wide, 2), "lost in noise") << "it was not positive in each process";
}

TEST(Estimate, SamplesThatWerePreemptedAreCounted) {
  EXPECT_EQ(preempted({{0, 2}, {}, {1}}), std::pair(2, 3));
  EXPECT_EQ(quiet({{3, 4}, {5}}, {{1, 0}}), (ByProcess{{4}, {5}}));
}

TEST(Estimate, IsNoisyIfProcessesDisagreeByATenth) {
  const auto noisy = [](const std::vector<double>& values) { return estimate(values).noisy(); };
  EXPECT_FALSE(noisy({10, 10.4, 9.6, 10.3, 9.5}));
  EXPECT_FALSE(noisy({10, 10.1, 9.9, 30, 10})) << "one process was disturbed";
  EXPECT_FALSE(noisy({10, 10.1, 1, 30, 10})) << "one at each end";
  EXPECT_TRUE(noisy({10, 10.1, 9.9, 30, 30})) << "two of five";
  EXPECT_TRUE(noisy({10, 10.8, 9.2, 10.6, 9.4}));
  EXPECT_TRUE(noisy({-1, 0, 1})) << "a difference that is lost";
  EXPECT_FALSE(noisy({1, 9})) << "no interval";
  EXPECT_TRUE(ratio(ByProcess{{1}, {2}, {3}}, ByProcess{{1}, {1}, {1}}).noisy());
}

TEST(Estimate, SaysWhereADifferenceIsLostInNoise) {
  const auto lost = [](double low, double high) {
    Estimate e;
    e.value = 0.5 * (low + high);
    e.interval = Interval{low, high};
    return why_lost(e);
  };
  EXPECT_EQ(lost(4, 6), "");
  EXPECT_EQ(lost(3, 9), "") << "as wide as itself";
  EXPECT_EQ(lost(2.9, 9), "the interval is wider than the quantity");
  EXPECT_EQ(lost(-0.1, 9), "the interval holds 0");
  EXPECT_EQ(lost(-9, -1), "the terms overlap");
  EXPECT_EQ(why_lost(estimate(ByProcess{{1}, {9}})), "") << "no interval, and nothing is claimed";
  EXPECT_EQ(why_lost(estimate(ByProcess{{-1}})), "it came out below 0");
}

/// Share of runs whose interval contains another run's value. A run has 'blocks' blocks of 'samples' samples;
/// blocks differ by 'between', samples within one by 'within'.
template <class Draw>
double coverage(int blocks, int samples, const Draw& draw) {
  std::mt19937_64 generator(5);
  const auto run = [&] {
    ByProcess all;
    for (int b = 0; b < blocks; ++b) all.push_back(draw(generator, samples));
    return estimate(all);
  };
  int held = 0;
  constexpr int trials = 20000;
  for (int t = 0; t < trials; ++t) held += run().interval->contains(run().value);
  return double(held) / trials;
}

std::vector<double> normal_block(std::mt19937_64& generator, int samples, double between, double within) {
  std::normal_distribution<double> one;
  const double middle = 1 + between * one(generator);
  std::vector<double> s(std::size_t(samples), 0.0);
  for (double& x : s) x = middle + within * one(generator);
  return s;
}

TEST(Interval, HoldsTheNextRunAsOftenAsItSays) {
  for (const int blocks : {3, 4, 5, 7, 9, 15})
    for (const double between : {0.0, 0.003, 0.03}) {
      const double held = coverage(blocks, 4, [between](std::mt19937_64& g, int samples) {
        return normal_block(g, samples, between, 0.01);
      });
      EXPECT_GT(held, 0.940) << blocks << " blocks, " << between;
      EXPECT_LT(held, 0.975) << blocks << " blocks, " << between << ": wider than it says";
    }
}

TEST(Ratio, ComparesBlockWithBlock) {
  // Each block comes from a slower process than the one before, on both sides.
  const ByProcess a = {{2, 2, 2}, {4}, {8}}, b = {{1}, {2, 2}, {4, 4, 4}};
  const Estimate r = ratio(a, b);
  EXPECT_EQ(r.value, 2) << "a takes twice as long";
  ASSERT_TRUE(r.interval);
  EXPECT_NEAR(r.interval->low, 2, 1e-12);
  EXPECT_NEAR(r.interval->high, 2, 1e-12);
  EXPECT_EQ(r.samples, 3) << "of the side that has fewer";
  EXPECT_EQ(ratio(b, a).value, 0.5);
  const Estimate d = difference(a, b);
  EXPECT_EQ(d.value, 2);
  EXPECT_EQ(d.processes, 3);
  ASSERT_TRUE(d.interval);  // of 1, 2, 4: symmetric although all are positive
  EXPECT_NEAR(d.interval->high - 2, half_width_factor(3) * std::sqrt(7.0 / 3), 1e-12);
  EXPECT_NEAR(d.interval->high - 2, 2 - d.interval->low, 1e-12);
  EXPECT_EQ(ratio(a, {}).processes, 0);
}

TEST(Ratio, HasAnIntervalOfFactors) {
  const Estimate r = ratio({{1}, {9}, {3}}, {{1}, {1}, {1}}),
                 inverse = ratio({{1}, {1}, {1}}, {{1}, {9}, {3}});
  ASSERT_TRUE(r.interval && inverse.interval);
  EXPECT_NEAR(r.interval->high, 3 * std::exp(half_width_factor(3) * std::log(3)), 1e-9);
  EXPECT_NEAR(r.interval->low * inverse.interval->high, 1, 1e-12);
  EXPECT_GT(r.interval->low, 0);
}

TEST(Ratio, OfWhatIsNotPositiveHasNoInterval) {
  const Estimate r = ratio({{1}, {-2}, {3}, {4}}, {{1}, {1}, {1}, {1}});
  EXPECT_EQ(r.processes, 4);
  EXPECT_FALSE(r.interval);
  EXPECT_FALSE(ratio({{1}, {2}, {3}}, {{1}, {0}, {1}}).interval);
}

TEST(Ratio, HoldsTheNextRunsAsOftenAsItSays) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> one;
  const auto run = [&] {
    ByProcess a, b;
    for (int k = 0; k < 5; ++k) {
      const double process = 1 + 0.1 * one(generator);
      a.push_back({2 * process * (1 + 0.01 * one(generator))});
      b.push_back({process * (1 + 0.01 * one(generator))});
    }
    return ratio(a, b);
  };
  int held = 0;
  double width = 0;
  for (int t = 0; t < 5000; ++t) {
    const Estimate r = run();
    held += r.interval->contains(run().value);
    width += *r.relative_half_width() / 5000;
  }
  EXPECT_GT(held, 4700);
  EXPECT_LT(held, 4875);
  EXPECT_LT(width, 0.05) << "what both sides share does not count";
}

TEST(Statistics, OrderStatistics) {
  const Summary s = summarise({5, 1, 4, 2, 3});
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.lower_quartile, 2);
  EXPECT_EQ(s.upper_quartile, 4);
  EXPECT_EQ(summarise({}).median, 0);
  EXPECT_EQ(summarise({7}).median, 7);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({}), 0);
}

TEST(Statistics, MedianIntervalMatchesBinomialTables) {
  // For n = 32 the 95 % interval is order statistics 10 and 23 (from 1); for n = 9 it is 2 and 8; for 6 it is
  // 1 and 6.
  for (const auto& [n, low, high] :
       std::initializer_list<std::tuple<int, int, int>>{{32, 10, 23}, {9, 2, 8}, {6, 1, 6}}) {
    std::vector<double> samples;
    for (int i = 1; i <= n; ++i) samples.push_back(i);
    const Summary s = summarise(samples);
    EXPECT_EQ(s.low, low) << n;
    EXPECT_EQ(s.high, high) << n;
  }
}

}  // namespace

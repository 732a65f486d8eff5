// SPDX-License-Identifier: BSD-3-Clause
// Portable against native: the choice of results to compare, and the same numbers in all outputs.
#include <gtest/gtest.h>

#include "analysis/comparison.hpp"
#include "commands/commands.hpp"
#include "diffusion/study.hpp"
#include "measurements.hpp"
#include "studies.hpp"

namespace {

using namespace parity;
using namespace parity::analysis;
using harness::Measurement;
using harness::Values;

const Values small = {{"nx", std::int64_t(16)}}, large = {{"nx", std::int64_t(64)}};

Measurement portable(const Values& problem, const std::vector<double>& s,
                     const std::string& mechanism = "stream", const std::string& tuning = "") {
  return test::row("diffusion", "kokkos-fused", problem, s, "cuda-fused", mechanism, tuning);
}
Measurement native(const Values& problem, const std::vector<double>& s,
                   const std::string& mechanism = "stream", const std::string& tuning = "") {
  return test::row("diffusion", "cuda-fused", problem, s, "", mechanism, tuning);
}

Measurement tuned(const Values& problem, const std::vector<double>& s) {
  return test::row("diffusion", "kokkos-fused-tuned", problem, s, "cuda-fused-tuned");
}
Measurement of(harness::Tier tier, Measurement m) {
  m.tier = tier;
  return m;
}

TEST(PairsByVersion, StandBesideEachOtherByDevice) {
  const auto with = [](Measurement m, const char* kokkos, const char* run, const char* device = "GPU") {
    m.run.kokkos = kokkos, m.run.id = run, m.run.device = device;
    return m;
  };
  std::vector<Measurement> rows;
  const auto add = [&rows, &with](const Values& problem, double seconds, const char* kokkos, const char* run,
                                  const char* device = "GPU") {
    rows.push_back(with(portable(problem, {seconds}), kokkos, run, device));
    rows.push_back(with(native(problem, {1}), kokkos, run, device));
  };
  add(small, 4, "10.0.0", "1");
  add(large, 2, "4.6.01", "2");
  add(small, 8, "4.6.01", "2");
  add(small, 5, "5.2.2", "3");
  add(small, 2, "5.2.2", "4");              // a later run of the same problem
  add(small, 9, "", "5");                   // a record without a version
  add(small, 9, "3.4.01", "6", "another");  // the only version of this device
  const auto found = pairs_by_version(rows);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].device, "GPU");
  EXPECT_EQ(found[0].versions, (std::vector<std::string>{"4.6.01", "5.2.2", "10.0.0"}));
  ASSERT_EQ(found[0].lines.size(), 2u);
  const auto& of_small = found[0].lines[0];
  EXPECT_EQ(of_small[0].ratio.value, 1.0 / 8);
  EXPECT_EQ(of_small[1].ratio.value, 1.0 / 2);
  EXPECT_EQ(of_small[2].ratio.value, 1.0 / 4);
  EXPECT_TRUE(found[0].lines[1][0].portable && !found[0].lines[1][1].portable);
}

TEST(Portability, IsTheHarmonicMeanOverPlatforms) {
  const auto on = [](Measurement m, const char* device, const char* run) {
    m.run.device = device;
    m.run.id = run;
    return m;
  };
  const auto other = [](Measurement m, const char* kernel, const char* twin) {
    m.kernel = m.variant = kernel;
    m.twin = twin;
    m.family = harness::family_of(m.kernel.substr(0, m.kernel.find('-'))).value();
    if (m.family == harness::Family::openmp) m.tier = harness::Tier::only;
    return m;
  };
  std::vector<Measurement> rows = {
      // GPU: 1/2 and 1/4, harmonic mean 1/3; the tuned result makes the first 1: 2 / (1 + 4) = 0.4.
      on(portable(small, {4}), "GPU", "2a"), on(native(small, {2}), "GPU", "2a"),
      on(tuned(small, {2}), "GPU", "2a"),
      on(other(portable(small, {8}), "kokkos-plain", "cuda-plain"), "GPU", "2a"),
      on(other(native(small, {2}), "cuda-plain", ""), "GPU", "2a"),
      // An algorithm with one version has no first version; it counts for the best.
      on(of(harness::Tier::only, other(portable(small, {20}), "kokkos-resident", "cuda-resident")), "GPU",
         "2a"),
      on(of(harness::Tier::only, other(native(small, {8}), "cuda-resident", "")), "GPU", "2a"),
      // An earlier run, graphs and lower bounds do not count.
      on(portable(small, {1}), "GPU", "1a"), on(native(small, {9}), "GPU", "1a"),
      on(portable(small, {1}, "graph-two"), "GPU", "2a"), on(native(small, {9}, "graph-two"), "GPU", "2a"),
      // Host: 1/5, with the tuned result 4/5.
      on(other(portable(small, {5}), "kokkos-fused", "openmp-fused"), "CPU", "2b"),
      on(other(tuned(small, {1.25}), "kokkos-fused-tuned", "openmp-fused"), "CPU", "2b"),
      on(other(native(small, {1}), "openmp-fused", ""), "CPU", "2b")};
  auto found = portabilities_of(rows);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].best);
  ASSERT_EQ(found[0].platforms.size(), 2u);
  EXPECT_EQ(found[0].platforms[0].platform, "GPU") << "the highest first";
  EXPECT_DOUBLE_EQ(found[0].platforms[0].value, 1.0 / 3);
  EXPECT_EQ(found[0].platforms[0].pairs, 2);
  EXPECT_DOUBLE_EQ(found[0].platforms[1].value, 0.2);
  EXPECT_DOUBLE_EQ(found[0].value, 2 / (5 + 3.0));
  EXPECT_EQ(found[1].platforms[1].pairs, 3);
  EXPECT_DOUBLE_EQ(found[1].value, 2 / (1 / 0.8 + 1 / 0.4));
  EXPECT_EQ(found[1].problem, rows[0].problem_text());

  for (Measurement& m : rows)
    if (m.kernel == "kokkos-fused" && m.run.device == "CPU") m.verdict.error = 1;
  found = portabilities_of(rows);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].value, 0) << "no idiomatic row on one platform of the set";
  EXPECT_EQ(found[0].platforms[1].pairs, 0);
  EXPECT_GT(found[1].value, 0);
  for (Measurement& m : rows) m.metrics.front().better = harness::Better::lower;
  EXPECT_TRUE(portabilities_of(rows).empty()) << "times that are results by themselves";
}

TEST(Cells, StandAgainstTheFastestNativeRowLaunchedAlike) {
  const auto row = [](const char* kernel, double seconds, const char* mechanism = "stream",
                      const char* tuning = "") {
    return test::row("diffusion", kernel, small, {seconds}, "", mechanism, tuning);
  };
  const auto speeds = [](const std::vector<Measurement>& rows) {
    std::vector<double> all;  // 0 for a cell without a measurement
    for (const Cells& c : cells_of(rows))
      for (const Implementation& cell : c.cells) all.push_back(cell.row ? cell.speed.value : 0);
    return all;
  };
  using Speeds = std::vector<double>;
  EXPECT_EQ(speeds({row("kokkos-fused", 8), row("kokkos-fused-tuned", 3, "stream", "1"),
                    row("kokkos-fused-tuned", 2.5, "stream", "2"), row("cuda-fused", 4),
                    row("cuda-fused-tuned", 2), row("openmp-fused", 1)}),
            (Speeds{0.25, 0.8, 0, 0.5, 1, 0}))
      << "of two tunings the faster; OpenMP is native without CUDA alone";
  EXPECT_EQ(speeds({row("kokkos-tile-tuned", 2), row("openmp-tile", 1)}), (Speeds{0, 0.5, 0, 0, 0, 1}));
  EXPECT_EQ(speeds({row("kokkos-fused", 1, "graph"), row("cuda-fused", 1)}), Speeds{});
  EXPECT_EQ(speeds({row("kokkos-fused", 1, "kokkos-graph"), row("cuda-fused", 1, "graph")}),
            (Speeds{1, 0, 0, 1, 0, 0}));
  const auto one_form = [&row](const char* kernel, double seconds) {
    return of(harness::Tier::only, row(kernel, seconds));
  };
  EXPECT_EQ(speeds({one_form("kokkos-resident", 4), one_form("cuda-resident", 2)}),
            (Speeds{0, 0, 0.5, 0, 0, 1}))
      << "neither first nor tuned";
  EXPECT_EQ(speeds({of(harness::Tier::further, row("kokkos-fused-team", 4)), row("cuda-fused", 2)}),
            Speeds{});
}

TEST(Pairs, AreOfOneTier) {
  using harness::Tier;
  for (const Tier tier : {Tier::first, Tier::tuned, Tier::further, Tier::only}) {
    EXPECT_EQ(harness::makes_pair(tier, Tier::tuned), tier == Tier::tuned);
    EXPECT_TRUE(harness::makes_pair(tier, Tier::only)) << "native code of one form stands beside each";
    EXPECT_EQ(harness::makes_pair(tier, Tier::first), tier == Tier::first || tier == Tier::further);
  }
  for (const harness::Study* study : studies())
    for (const harness::Entry* e : study->entries())
      for (const harness::Entry* native : study->entries())
        EXPECT_TRUE(native->name != e->twin || harness::makes_pair(e->tier, native->tier)) << e->name;
}

TEST(Baseline, IsTheFastestNativeRowThatIsNoFloor) {
  std::vector<Measurement> rows = {portable(small, {1}), native(small, {3}), native(small, {2}, "graph-two"),
                                   test::row("diffusion", "cuda-empty", small, {0.1})};
  rows[3].floor = true;
  std::vector<const Measurement*> all;
  for (const Measurement& m : rows) all.push_back(&m);
  EXPECT_EQ(commands::find_baseline(all, ""), &rows[2]);
  EXPECT_EQ(commands::find_baseline(all, "kokkos-fused"), &rows[0]);
}

TEST(Baseline, IsOfTheRowsRunAndProblem) {
  std::vector<Measurement> rows = {portable(small, {4}), native(small, {2}), native(large, {1}),
                                   portable(small, {4})};
  rows[3].run.id = "another";
  const auto against = commands::against_baselines(rows, "");
  ASSERT_EQ(against.size(), 4u);
  EXPECT_TRUE(against[0].baseline == &rows[1] && against[1].baseline == &rows[1]);
  EXPECT_EQ(against[0].ratio.value, 0.5);
  EXPECT_EQ(against[2].baseline, &rows[2]);
  EXPECT_EQ(against[3].baseline, &rows[3]) << "its run has no native row";
  rows[1].verdict.error = 2;
  EXPECT_EQ(commands::against_baselines(rows, "")[0].baseline, &rows[0]) << "a wrong row is no baseline";
}

TEST(BestRates, TheHighestNativeRateChoosesTheProblem) {
  std::vector<Measurement> rows = {native(small, {2, 2, 2}), portable(small, {1, 1, 1}),
                                   native(large, {0.5, 0.5, 0.5}), portable(large, {2, 2, 2}),
                                   test::row("diffusion", "cuda-baseline", large, {4, 4})};
  const auto best = best_rates_of(rows);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].native, &rows[2]);
  EXPECT_EQ(best[0].portable, &rows[3]) << "of the same problem, though it was faster elsewhere";
  EXPECT_DOUBLE_EQ(best[0].ratio.value, 0.25);
  EXPECT_DOUBLE_EQ(best[0].native_gain.value, 8);
  EXPECT_DOUBLE_EQ(best[0].portable_gain.value, 2);
  rows[3].verdict.error = 1;
  EXPECT_EQ(best_rates_of(rows)[0].native, &rows[0]) << "where both sides were measured";
}

TEST(BestRates, OfTwoRunsTheLaterAndNeitherFloorsNorWrongRows) {
  std::vector<Measurement> rows = {native(small, {1}), native(small, {2}), native(large, {0.1}),
                                   native(large, {0.1})};
  rows[1].run.id = "b";
  rows[2].floor = true;
  rows[3].verdict.error = 1;
  const auto best = best_rates_of(rows);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].native, &rows[1]);
  EXPECT_EQ(best[0].portable, nullptr);
  EXPECT_EQ(best[0].ratio.processes, 0);
  rows[1].run.device = "another";
  EXPECT_EQ(best_rates_of(rows).size(), 2u) << "devices are not mixed";
  EXPECT_TRUE(best_rates_of({test::row("diffusion", "cupy-baseline", small, {1})}).empty());
}

TEST(BestRates, MethodsThatSkipPairsHaveNone) {
  const std::vector<Measurement> rows = {test::row("kde", "cuda-register-tile", small, {3}),
                                         test::row("kde", "kokkos-transform", small, {0.001}),
                                         test::row("kde", "kokkos-register-tile", small, {4})};
  const auto best = best_rates_of(rows);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].portable, &rows[2]);
}

}  // namespace

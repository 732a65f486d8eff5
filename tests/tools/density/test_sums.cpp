// SPDX-License-Identifier: BSD-3-Clause
// The sums and rules behind 'parity density'.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kde/problem.hpp"
#include "kde/reference.hpp"
#include "runtime/error.hpp"
#include "tools/density/bandwidth.hpp"
#include "tools/density/density.hpp"

namespace {

using namespace parity;
using namespace parity::kde;
using namespace parity::density;

Samples samples_of(Distribution d, std::int64_t n, bool weighted = false) {
  Problem p;
  p.n = n, p.distribution = d;
  const auto x = random_samples<double>(p);
  Samples s{{x.begin(), x.end()}, {}};
  if (weighted)
    for (std::int64_t i = 0; i < n; ++i) s.w.push_back(double(i % 5));
  return s;
}

double largest_difference(Values a, Values b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
  return worst;
}

TEST(Sums, StayWithinTheirBounds) {
  for (const Distribution d :
       {Distribution::lognormal, Distribution::bimodal, Distribution::uniform, Distribution::clustered})
    for (const double h : {0.004, 0.1, 3.0})
      for (const bool weighted : {false, true}) {
        const Samples s = samples_of(d, 3001, weighted);
        std::vector<double> queries;
        for (int i = 0; i < 700; ++i) queries.push_back(-4 + 0.02 * i);
        for (std::size_t i = 0; i < s.x.size(); i += 10) queries.push_back(s.x[i]);
        const Sums exact = direct_sums(s, queries, h, Kernel{});
        const double largest = *std::max_element(exact.values.begin(), exact.values.end());
        for (const double tolerance : {1e-3, 1e-6, 1e-8, 1e-11}) {
          for (const Sums& sums :
               {transform_sums(s, queries, h, tolerance, true), window_sums(s, queries, h, tolerance)}) {
            EXPECT_LE(sums.bound, 1.1 * tolerance + 1e-11) << sums.method;
            EXPECT_LE(largest_difference(sums.values, exact.values), sums.bound * largest)
                << sums.method << " " << name(d) << " h " << h << " tolerance " << tolerance;
          }
          if (tolerance < 1e-4 || d == Distribution::clustered) continue;
          const Sums binned = binned_sums(s, queries, h, tolerance);
          EXPECT_LE(largest_difference(binned.values, exact.values), binned.bound * largest)
              << "binned " << name(d);
        }
      }
}

TEST(Sums, PrefixSumsAreExact) {
  for (const char* kernel : {"epanechnikov", "biweight", "triangular", "box"})
    for (const Distribution d : {Distribution::lognormal, Distribution::uniform, Distribution::clustered})
      for (const double h : {0.001, 0.3, 20.0})
        for (const bool weighted : {false, true}) {
          Samples s = samples_of(d, 2003, weighted);
          for (int k = 0; k < 50; ++k) s.x[std::size_t(k)] = s.x[50];  // duplicates
          std::vector<double> queries(s.x.begin(), s.x.end());
          for (int i = 0; i < 500; ++i) queries.push_back(0.013 * i);
          const Kernel k = kernel_of(kernel);
          const Sums exact = direct_sums(s, queries, h, k), fast = prefix_sums(s, queries, h, k);
          const double largest = *std::max_element(exact.values.begin(), exact.values.end());
          EXPECT_LE(largest_difference(exact.values, fast.values), 1e-13 * largest)
              << kernel << " " << name(d) << " " << h;
        }
}

TEST(Bandwidths, RulesHaveTheirClosedForms) {
  const Samples s{{1, 2, 3, 4, 10}, {}};
  const double deviation = std::sqrt(50.0 / 4);
  EXPECT_NEAR(scott_bandwidth(s), deviation * std::pow(5, -0.2), 1e-14);
  EXPECT_NEAR(silverman_bandwidth(s), deviation * std::pow(3.75, -0.2), 1e-14);
  // A weight of 2 counts like two samples in mean and deviation; n_eff is (sum w)^2 / sum w^2.
  const Samples weighted{{1, 2, 3}, {1, 2, 1}};
  const double effective = 16.0 / 6, variance = 0.5 * effective / (effective - 1);
  EXPECT_NEAR(scott_bandwidth(weighted), std::sqrt(variance) * std::pow(effective, -0.2), 1e-14);
  for (const Samples& none : {Samples{{3}, {}}, Samples{{2, 2, 2}, {}}}) {
    EXPECT_THROW(scott_bandwidth(none), runtime::UsageError);
    EXPECT_THROW(isj_bandwidth(none), runtime::UsageError);
    EXPECT_THROW(lscv_bandwidth(none), runtime::UsageError);
  }
}

TEST(Bandwidths, CrossValidationFindsTheLowestScore) {
  const Samples s = samples_of(Distribution::bimodal, 700, true);
  const double h = lscv_bandwidth(s), best = lscv_score(s, h);
  for (double other = 0.02; other < 3; other *= 1.07) EXPECT_GE(lscv_score(s, other), best - 1e-7) << other;
  // Compared with the definition, pair by pair.
  double total = s.total(), square = 0, cross = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < s.x.size(); ++j) {
      const double r = (s.x[i] - s.x[j]) / h, p = s.w[j] / total;
      square += s.w[i] / total * p * std::exp(-0.25 * r * r) / (h * std::sqrt(4 * M_PI));
      if (j != i) sum += p * std::exp(-0.5 * r * r) / (h * std::sqrt(2 * M_PI));
    }
    cross += s.w[i] / total * sum / (1 - s.w[i] / total);
  }
  EXPECT_NEAR(best, square - 2 * cross, 1e-9);
}

}  // namespace

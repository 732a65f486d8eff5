// SPDX-License-Identifier: BSD-3-Clause
// The exponentials, the transform's bounds, sums that no order of additions changes, and the sums and rules
// behind 'parity density'.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kde/error_bound.hpp"
#include "kde/exact_sum.hpp"
#include "kde/expansion.hpp"
#include "kde/gaussian.hpp"
#include "kde/problem.hpp"
#include "kde/reference.hpp"
#include "runtime/error.hpp"
#include "tools/density/bandwidth.hpp"
#include "tools/density/density.hpp"

namespace {

using namespace parity;
using namespace parity::kde;
using namespace parity::density;

TEST(Exponentials, AreAsAccurateAsTheyClaim) {
  double single = 0, twice = 0, table = 0;
  std::vector<double> powers(power_table_size);
  for (int i = 0; i < power_table_size; ++i) powers[std::size_t(i)] = std::exp2(double(i) / power_table_size);
  for (double d = 0; d < 5; d += 0.00037) {
    const float f = float(d);
    single = std::max(single, double(std::fabs(exp2_minus_square(f) / std::exp2(-double(f) * f) - 1)));
    const auto exact = std::exp2(-(long double)(d)*d);
    twice = std::max(twice, double(std::fabs(exp2_minus_square(d) / exact - 1)));
    table = std::max(table,
                     double(std::fabs(add_exp2_minus_square_table(4 * d, powers.data(), 0.0) / exact - 1)));
  }
  EXPECT_LT(single, 2e-6);  // 25 * 2^-24 from the exponent's own rounding
  EXPECT_LT(twice, 5e-15);
  EXPECT_LT(table, 1e-14);
  // Far away: nothing, and no infinity or NaN on the way.
  for (const double d : {40.0, 1e5, 1e30, 1e300}) {
    EXPECT_LT(exp2_minus_square(float(d)), 1e-37f);
    EXPECT_LT(exp2_minus_square(d), 1e-300);
    EXPECT_LT(add_exp2_minus_square_table(d * 4, powers.data(), 0.0), 1e-300);
  }
  EXPECT_LT(exp2_minus_square(std::numeric_limits<float>::infinity()), 1e-37f);
  EXPECT_FLOAT_EQ(exp2_minus_square(0.f), 1.f);
}

/// A term as the sums form it, against the bound that every gate is made of.
template <class T, class Term>
void expect_within_the_terms_bound(const char* what, Term term, double h) {
  std::vector<double> powers(power_table_size);
  term.bind(powers.data(), 0, 1);
  const Precision precision = sizeof(T) == 4 ? Precision::f32 : Precision::f64;
  double largest = 0;
  for (int i = 0; i < 40000; ++i) {
    const T q = T(0.7 + 0.0137 * (i % 257)), x = T(double(q) + h * (0.0002 * i - 4));
    const long double r = ((long double)(q) - (long double)(x)) / (long double)(h);
    const long double exact = std::exp(-r * r / 2);
    const double bound = unit_roundoff(precision) * (term_slope * double(r * r) + term_constant(precision));
    const double share = double(std::fabs((long double)(term.value(i, q, x)) / exact - 1)) / bound;
    largest = std::max(largest, share);
  }
  EXPECT_LT(largest, 1) << what << " h " << h;
  EXPECT_GT(largest, 0.05) << what << " h " << h;
}

TEST(Exponentials, TermsStayWithinTheGatesBound) {
  for (const double h : {0.01, 0.3, 7.0}) {
    expect_within_the_terms_bound<float>("library", LibraryTerm<float>(h), h);
    expect_within_the_terms_bound<float>("polynomial", PolynomialTerm<float>(h), h);
    expect_within_the_terms_bound<float>("hardware", HardwareTerm<float>(h), h);
    expect_within_the_terms_bound<float>("mixed", MixedTerm<3>(h), h);
    expect_within_the_terms_bound<double>("library", LibraryTerm<double>(h), h);
    expect_within_the_terms_bound<double>("polynomial", PolynomialTerm<double>(h), h);
    expect_within_the_terms_bound<double>("table", HardwareTerm<double>(h), h);
  }
}

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
  // Against the definition, pair by pair.
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

double sum_of(const std::vector<double>& terms, std::size_t parts = 1) {
  ExactSum total = {};
  for (std::size_t p = 0; p < parts; ++p) {
    ExactSum part = {};
    for (std::size_t i = terms.size() * p / parts; i < terms.size() * (p + 1) / parts; ++i) part += terms[i];
    total += part;
  }
  return total.value();
}

/// As many as a sum may have, of all sizes that flushed sums have.
std::vector<double> many_terms() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-80, 8);
  std::vector<double> terms(1 << 18);
  for (double& t : terms) t = std::exp2(exponent(random));
  return terms;
}

TEST(ExactSum, NeitherOrderNorPartsChangeABit) {
  std::vector<double> terms = many_terms();
  std::mt19937_64 random(2);
  const double first = sum_of(terms);
  double plain = 0, other = 0;
  for (const double t : terms) plain += t;
  for (int order = 0; order < 5; ++order) {
    std::shuffle(terms.begin(), terms.end(), random);
    EXPECT_EQ(sum_of(terms), first);
    EXPECT_EQ(sum_of(terms, 7), first);
  }
  for (const double t : terms) other += t;
  EXPECT_NE(plain, other) << "these terms would not tell an exact sum from another";
}

TEST(ExactSum, IsRoundedByLittle) {
  const std::vector<double> terms = many_terms();
  long double exact = 0;
  for (const double t : terms) exact += t;
  EXPECT_NEAR(double(sum_of(terms) - exact), 0, double(terms.size()) * 0x1p-53 + 0x1p-53 * double(exact));
  EXPECT_EQ(sum_of({256, 0x1p-52}), 256 + 0x1p-52 + 0.0);
  EXPECT_EQ(sum_of({1, 0x1p-20, 0x1p-40}), 1 + 0x1p-20 + 0x1p-40);
}

TEST(ExactSum, WhatIsNoNumberStays) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum_of({1, infinity, 2}), infinity);
  EXPECT_TRUE(std::isnan(sum_of({1, std::nan(""), 2})));
  EXPECT_TRUE(std::isnan(sum_of({infinity, std::nan("")}, 2)));
}

}  // namespace

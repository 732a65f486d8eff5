// SPDX-License-Identifier: BSD-3-Clause
// The exponentials, and sums that do not depend on the order of additions.
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

namespace {

using namespace parity;
using namespace parity::kde;

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
  EXPECT_LT(single, 2e-6);  // 25 * 2^-24 from rounding the exponent
  EXPECT_LT(twice, 5e-15);
  EXPECT_LT(table, 1e-14);
  // Far away: 0, without infinity or NaN on the way.
  for (const double d : {40.0, 1e5, 1e30, 1e300}) {
    EXPECT_LT(exp2_minus_square(float(d)), 1e-37f);
    EXPECT_LT(exp2_minus_square(d), 1e-300);
    EXPECT_LT(add_exp2_minus_square_table(d * 4, powers.data(), 0.0), 1e-300);
  }
  EXPECT_LT(exp2_minus_square(std::numeric_limits<float>::infinity()), 1e-37f);
  EXPECT_FLOAT_EQ(exp2_minus_square(0.f), 1.f);
}

/// Compares a term, as the sums compute it, with the bound behind every gate.
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

double sum_of(const std::vector<double>& terms, std::size_t parts = 1) {
  ExactSum total = {};
  for (std::size_t p = 0; p < parts; ++p) {
    ExactSum part = {};
    for (std::size_t i = terms.size() * p / parts; i < terms.size() * (p + 1) / parts; ++i) part += terms[i];
    total += part;
  }
  return total.value();
}

/// The largest number of terms of a sum, of all sizes that flushed sums have.
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

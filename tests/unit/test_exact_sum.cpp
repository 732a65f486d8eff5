// SPDX-License-Identifier: BSD-3-Clause
// Sums that no order of additions changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kde/exact_sum.hpp"

namespace {

using parity::kde::ExactSum;

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

// SPDX-License-Identifier: BSD-3-Clause
// The two references agree with each other, and know the answers that theory gives.
#include <gtest/gtest.h>

#include "diffusion/reference.hpp"
#include "diffusion/study.hpp"

namespace {

using namespace parity::diffusion;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(Reference, FourierModesAgreeWithLongDoubleSteps) {
  for (const auto& [ny, nx, steps] : std::initializer_list<std::tuple<int, int, int>>{
           {5, 7, 13}, {17, 33, 50}, {2, 2, 3}, {8, 2, 4}, {32, 24, 101}}) {
    Problem p;
    p.nz = 2, p.ny = ny, p.nx = nx, p.steps = steps, p.precision = Precision::f64;
    for (const double alpha : {stability_limit, 0.01}) {
      p.alpha = alpha;
      const auto field = random_field<double>(p);
      EXPECT_LT(largest_difference(fourier_solution(p, field.data()), long_double_solution(p, field.data())),
                2e-15)
          << ny << "x" << nx << " alpha " << alpha;
    }
  }
}

TEST(Reference, CheckerboardChangesSignAtTheStabilityLimit) {
  Problem p;
  p.nz = 1, p.ny = 6, p.nx = 8, p.steps = 1025, p.precision = Precision::f64;
  std::vector<double> field(std::size_t(p.points()));
  for (std::int64_t i = 0; i < p.points(); ++i)
    field[std::size_t(i)] = (i / p.nx + i % p.nx) % 2 == 0 ? 1 : -1;
  const auto result = fourier_solution(p, field.data());
  for (std::size_t i = 0; i < field.size(); ++i) EXPECT_NEAR(result[i], -field[i], 1e-14);
}

TEST(Reference, RandomFieldDiffersBetweenPlanesAndSeeds) {
  // The CuPy script makes the same field; its test knows these two values as well.
  EXPECT_EQ(random_value(1, 0), 0.9430021544357066);
  EXPECT_EQ(random_value(1, 1), -0.5444901292813309);
  EXPECT_NE(random_value(1, 0), random_value(1, 1));
  EXPECT_NE(random_value(1, 0), random_value(2, 0));
  double sum = 0;
  for (std::uint64_t k = 0; k < 100000; ++k) {
    const double v = random_value(3, k);
    ASSERT_GE(v, -1);
    ASSERT_LT(v, 1);
    sum += v;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.01);
}

}  // namespace

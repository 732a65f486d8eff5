// SPDX-License-Identifier: BSD-3-Clause
// The exact propagator: right against the iteration itself, and a class of its own wherever rows are ranked.
#include <gtest/gtest.h>

#include "analysis/findings.hpp"
#include "analysis/pairs.hpp"
#include "commands/commands.hpp"
#include "harness/environment.hpp"
#include "measurements.hpp"
#include "run_variant.hpp"
#include "tried.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using harness::Measurement;
using runtime::Precision;

struct Size {
  std::int64_t nz, ny, nx, steps;
  double alpha;
};

/// Of a variant's result from what 'iterated' comes to step by step in long double: the reference of all
/// other tests is made of transforms, too.
template <class T>
double distance_between(const Problem& p, const Problem& iterated, const harness::Choice& c) {
  const auto field = diffusion::random_field<T>(p);
  return verify(p, field.data(), long_double_solution(iterated, field.data()),
                test::result_of(p, c, field).data(), /*gate=*/0)
      .error;
}

/// More planes than a GPU transforms at a time, each of an odd number of points, and a rest.
TEST(Propagator, IsRightInBatchesOfOddPlanes) {
  const auto c = test::choices({"cuda-spectral"}).front();
  Problem p;
  p.nx = 1021, p.ny = 1023, p.nz = 75, p.steps = 9;
  if (const auto why = test::why_not(c, p)) GTEST_SKIP() << *why;
  EXPECT_TRUE(test::verdict_of(p, c).passed());
}

class SpectralVariant : public testing::TestWithParam<const char*> {};

TEST_P(SpectralVariant, IsTheIterationToItsOwnBound) {
  const auto c = test::choices({GetParam()}).front();
  test::Tried tried;
  for (const Precision precision : {Precision::f32, Precision::f64})
    // Smooth sizes and primes, even and odd, N of one and of many, alpha beside the stability limit.
    for (const Size& s :
         {Size{3, 16, 16, 33, 1.0 / 32}, Size{2, 17, 13, 64, 0.03}, Size{1, 2, 9, 5, 1.0 / 32},
          Size{1, 31, 2, 4, 0.01}, Size{5, 24, 30, 1, 1.0 / 32}, Size{1, 20, 27, 2001, 1.0 / 32}}) {
      Problem p;
      p.nz = s.nz, p.ny = s.ny, p.nx = s.nx, p.steps = s.steps, p.alpha = s.alpha, p.precision = precision;
      if (!tried.can(test::why_not(c, p))) continue;
      const double gate = diffusion::ErrorBound(p).of_propagator();
      const double error =
          precision == Precision::f32 ? distance_between<float>(p, p, c) : distance_between<double>(p, p, c);
      EXPECT_LE(error, gate) << describe(p);
      // A step more is seen.
      Problem other = p;
      ++other.steps;
      const double wrong = precision == Precision::f32 ? distance_between<float>(p, other, c)
                                                       : distance_between<double>(p, other, c);
      EXPECT_GT(wrong, 2 * gate) << describe(p);
    }
  tried.end();
}
INSTANTIATE_TEST_SUITE_P(Diffusion, SpectralVariant, testing::Values("openmp-spectral", "cuda-spectral"),
                         [](const auto& info) { return std::string(info.param).substr(0, 4); });

/// Whose time is a hundredth of all others'.
Measurement spectral(const harness::Values& problem) {
  Measurement m = test::row("diffusion", "openmp-spectral", problem, {0.01, 0.01, 0.01});
  m.method = diffusion::exact_propagator;
  m.metrics.front().name = "propagator_throughput";
  m.verdict.tolerance = 1;
  return m;
}
const harness::Values small = {{"nx", std::int64_t(64)},
                               {"ny", std::int64_t(64)},
                               {"nz", std::int64_t(8)},
                               {"steps", std::int64_t(100)},
                               {"precision", std::string("float")}};

TEST(Propagator, IsNoBaselineAndHasNoRatio) {
  std::vector<Measurement> rows = {test::row("diffusion", "openmp-fused", small, {2, 2, 2}), spectral(small),
                                   test::row("diffusion", "kokkos-fused", small, {4, 4, 4})};
  for (Measurement& m : rows) m.verdict.tolerance = 1;
  const auto against = commands::against_baselines(rows, "");
  EXPECT_EQ(against[0].baseline, &rows[0]);
  EXPECT_EQ(against[1].baseline, nullptr);
  EXPECT_EQ(against[2].ratio.value, 0.5);
  EXPECT_EQ(commands::against_baselines(rows, "openmp-spectral")[0].baseline, nullptr);
}

}  // namespace

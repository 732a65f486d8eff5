// SPDX-License-Identifier: BSD-3-Clause
// Gates are narrow enough: in every problem of the committed plans, a constant that is wrong by 1 % changes
// the result more than any variant's gate allows. The references get the wrong constant, which is equivalent
// and needs no second build.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "diffusion/reference.hpp"
#include "diffusion/study.hpp"
#include "harness/plan.hpp"
#include "kde/error_bound.hpp"
#include "kde/reference.hpp"
#include "kde/refusals.hpp"
#include "kde/study.hpp"
#include "kde/symmetric.hpp"
#include "studies.hpp"

namespace {

using namespace parity;
using runtime::Precision;

/// Calls f(problem, case) for each problem of a study in the plans, for any machine.
template <class Study, class F>
int for_problems(const Study& study, const F& f) {
  int problems = 0;
  std::set<std::string> seen;
  for (const auto& file : std::filesystem::directory_iterator(PARITY_PLANS)) {
    if (file.path().extension() != ".toml") continue;
    const harness::Plan plan = harness::read_plan(studies(), file.path().string());
    for (const harness::Case& c : plan.cases) {
      if (c.study != &study) continue;
      bool original = false;
      for (const harness::Choice& choice : c.choices) original |= choice.entry->name == "cuda-original-fixed";
      if (!seen.insert(c.task->text() + (original ? "+" : "")).second) continue;
      f(study.list().problem(c.task->values()), original);
      ++problems;
    }
  }
  return problems;
}

/// For one mode, the sums over the points at each distance: the factors of the weights.
struct Rings {
  double of[4];
  Rings(double x, double y)
      : of{1, 2 * (std::cos(x) + std::cos(y)), 4 * std::cos(x) * std::cos(y),
           2 * (std::cos(2 * x) + std::cos(2 * y))} {}
};

/// The 13 weights of alpha's sum: centre, distance 1, diagonal, distance 2.
struct Weights {
  double of[4] = {20, -8, 2, 1};
  double symbol(const Rings& rings) const {
    double sum = 0;
    for (int w = 0; w < 4; ++w) sum += of[w] * rings.of[w];
    return sum;
  }
};

/// A constant that is wrong by 1 %.
struct Wrong {
  const char* what;
  double alpha_factor = 1;
  Weights weights = {};
};

std::vector<Wrong> wrong_constants() {
  std::vector<Wrong> all = {{"alpha + 1 %", 1.01}, {"alpha - 1 %", 0.99}};
  for (int w = 0; w < 4; ++w)
    for (const double factor : {0.99, 1.01}) {
      all.push_back({"a weight"});
      all.back().weights.of[w] *= factor;
    }
  return all;
}

double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) result *= base;
  return result;
}

/// Root mean square of the change that each wrong constant causes in a field that is uniform on [-1, 1):
/// every mode gets another factor. The largest change of any point is at least this. Planes and types do not
/// matter.
std::vector<double> rms_changes(const diffusion::Problem& p, const std::vector<Wrong>& wrong) {
  const auto times = [](std::int64_t k, std::int64_t n) { return k == 0 || 2 * k == n ? 1.0 : 2.0; };
  const Weights right{};
  std::vector<double> sums(wrong.size());
#pragma omp parallel
  {
    std::vector<double> own(wrong.size());
#pragma omp for
    for (std::int64_t ky = 0; ky <= p.ny / 2; ++ky)
      for (std::int64_t kx = 0; kx <= p.nx / 2; ++kx) {
        const Rings rings(2 * M_PI * double(kx) / double(p.nx), 2 * M_PI * double(ky) / double(p.ny));
        const double factor = power(1 - p.alpha * right.symbol(rings), p.steps);
        for (std::size_t w = 0; w < wrong.size(); ++w) {
          const double change =
              factor - power(1 - wrong[w].alpha_factor * p.alpha * wrong[w].weights.symbol(rings), p.steps);
          own[w] += times(kx, p.nx) * times(ky, p.ny) * change * change;
        }
      }
#pragma omp critical
    for (std::size_t w = 0; w < wrong.size(); ++w) sums[w] += own[w];
  }
  for (double& sum : sums) sum = std::sqrt(sum / double(p.nx * p.ny) / 3);
  return sums;
}

TEST(Gates, OfDiffusionSeeAWrongConstantInEveryProblemOfThePlans) {
  const std::vector<Wrong> wrong = wrong_constants();
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, double>, std::vector<double>> known;
  const int problems = for_problems(diffusion::study(), [&](const diffusion::Problem& p, bool) {
    double gate = 0;
    const diffusion::ErrorBound bound(p);
    for (const diffusion::Entry& e : diffusion::registry())
      if (e.model && !e.floor) gate = std::max(gate, diffusion::gate_of(p, bound, e));
    ASSERT_GT(gate, 0);
    std::vector<double>& changes = known[{p.nx, p.ny, p.steps, p.alpha}];
    if (changes.empty()) changes = rms_changes(p, wrong);
    for (std::size_t w = 0; w < wrong.size(); ++w)
      EXPECT_GT(changes[w], 3 * gate) << wrong[w].what << " on " << describe(p) << ": gate " << gate;
  });
  EXPECT_GT(problems, 50);
}

TEST(Gates, NoNumberOfStepsMakesAFieldGrowBeyondTheBound) {
  double most = 0;
  for (const auto& [ny, nx] :
       std::initializer_list<std::pair<int, int>>{{64, 64}, {33, 17}, {2, 9}, {128, 32}})
    for (const std::int64_t steps : {1, 2, 3, 5, 9, 33, 129, 1025, 4097})
      for (const double alpha : {diffusion::stability_limit, 0.02, 0.001}) {
        diffusion::Problem p;
        p.nz = 1, p.ny = ny, p.nx = nx, p.steps = steps, p.alpha = alpha, p.precision = Precision::f64;
        std::vector<double> impulse(std::size_t(p.points()));
        impulse[0] = 1;
        double sum = 0;
        for (const double h : fourier_solution(p, impulse.data())) sum += std::fabs(h);
        most = std::max(most, sum);
      }
  EXPECT_LT(most, diffusion::field_growth);
  EXPECT_GT(most, 0.8 * diffusion::field_growth);
}

template <class T>
void expect_wrong_constants_seen(const kde::Problem& p) {
  const auto samples = kde::random_samples<T>(p);
  const std::vector<double> x(samples.begin(), samples.end());
  // The outermost samples, where only the normalisation shows the bandwidth, the densest one, and others.
  std::vector<double> queries = {*std::min_element(x.begin(), x.end()), *std::max_element(x.begin(), x.end()),
                                 x[kde::most_crowded(x, p.bandwidth)]};
  for (std::size_t i = 0; i < 8; ++i) queries.push_back(x[i * x.size() / 8]);
  const auto densities = [&](double h, double norm) {
    std::vector<double> f;
    for (const double q : queries) f.push_back(norm * kde::compensated_sum(x, {}, q, h));
    return f;
  };
  const auto scaled = [](std::vector<double> f, double factor) {
    for (double& value : f) value *= factor;
    return f;
  };
  const auto right = densities(p.bandwidth, p.norm()), wide = densities(1.01 * p.bandwidth, p.norm());
  const std::vector<T> found(right.begin(), right.end());
  const std::pair<const char*, std::vector<double>> wrong[] = {{"normalisation + 1 %", scaled(right, 1.01)},
                                                               {"normalisation - 1 %", scaled(right, 0.99)},
                                                               {"bandwidth of the exponent + 1 %", wide},
                                                               {"bandwidth + 1 %", scaled(wide, 1 / 1.01)}};
  for (const kde::Accuracy accuracy :
       {kde::Accuracy::difference_first, kde::Accuracy::plain_sum, kde::Accuracy::approximate}) {
    kde::Entry e;
    e.accuracy = accuracy;
    e.chain = kde::symmetric_additions;
    if (accuracy == kde::Accuracy::plain_sum && kde::refuse_running_sum(p, {{256}})) continue;
    EXPECT_TRUE(verify(p, e, right, found).passed()) << describe(p);
    for (const auto& [what, expected] : wrong) {
      const auto v = verify(p, e, expected, found);
      EXPECT_GT(v.error, 1.5 * v.tolerance)
          << what << " on " << describe(p) << ", accuracy " << int(accuracy);
    }
  }
}

TEST(Gates, OfDensitiesSeeAWrongConstantInEveryProblemOfThePlans) {
  const int problems = for_problems(kde::study(), [](const kde::Problem& p, bool original) {
    if (p.n > 4000000) {  // too long for a test; only approximate methods can run, so check theirs
      kde::Entry e;
      e.accuracy = kde::Accuracy::approximate;
      EXPECT_LT(tolerance(p, e), 1e-4) << describe(p);
      return;
    }
    if (original) {
      EXPECT_FALSE(kde::refuse_running_sum(p, {{256}})) << describe(p);
    }
    p.precision == Precision::f32 ? expect_wrong_constants_seen<float>(p)
                                  : expect_wrong_constants_seen<double>(p);
  });
  EXPECT_GT(problems, 20);
}

}  // namespace

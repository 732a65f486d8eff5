// SPDX-License-Identifier: BSD-3-Clause
// Every KDE variant that can run here, with every tuning, against the reference; and results broken on
// purpose.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <map>

#include "harness/plan.hpp"
#include "kde/reference.hpp"
#include "kde/study.hpp"
#include "tried.hpp"

namespace {

using namespace parity;
using kde::Distribution;
using kde::Problem;
using runtime::Precision;

template <class T>
std::vector<T> density_of(const Problem& p, const harness::Choice& s) {
  const auto samples = kde::random_samples<T>(p);
  const auto v = kde::entry_of(s).make<T>(p, s.tuning);
  std::vector<T> density(samples.size(), std::numeric_limits<T>::quiet_NaN());
  v->load(samples.data());
  v->advance();
  v->synchronise();
  if (kde::entry_of(s).captured) {
    v->prepare();
    v->load(samples.data());
    v->advance();
    v->synchronise();
  }
  v->store(density.data());
  return density;
}

/// Computed once for all variants.
template <class T>
const std::vector<double>& known_reference(const Problem& p, const std::vector<T>& samples) {
  static std::map<std::string, std::vector<double>> known;
  std::vector<double>& f = known[describe(p)];
  if (f.empty()) f = reference_density(p, samples);
  return f;
}

template <class T>
harness::Verdict verdict_of(const Problem& p, const harness::Choice& s) {
  const auto samples = kde::random_samples<T>(p);
  const kde::Entry& e = kde::entry_of(s);
  return verify(p, e, known_reference(p, samples), density_of<T>(p, s));
}

class EveryKdeVariant : public testing::TestWithParam<std::string> {};

TEST_P(EveryKdeVariant, AgreesWithTheReference) {
  const auto all = harness::select(kde::study(), {GetParam() + "/*"});
  test::Tried tried;
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const std::int64_t n : {1, 2, 31, 33, 257, 1500})
      for (const Distribution d : {Distribution::lognormal, Distribution::normal, Distribution::bimodal,
                                   Distribution::uniform, Distribution::clustered})
        for (const double h : {1e-4, 0.03, 10.0}) {
          // Each small size gets some of the distributions, larger ones those with long tails and with none.
#ifdef PARITY_SMALL_SIZES
          if (n > 300 || h < 1e-3) continue;  // grids of gigabytes
#endif
          if (n < 1000 && (n + std::int64_t(d)) % 3 != 0) continue;
          if (n >= 1000 && d != Distribution::lognormal && d != Distribution::uniform &&
              d != Distribution::clustered)
            continue;
          Problem p;
          p.n = n, p.bandwidth = h, p.distribution = d, p.precision = precision;
          for (const harness::Choice& s : all) {
            if (!tried.can(kde::study().task_of(p)->why_not(s))) continue;
            const auto v = precision == Precision::f32 ? verdict_of<float>(p, s) : verdict_of<double>(p, s);
            EXPECT_TRUE(v.passed()) << s.name() << " on " << describe(p) << ": error " << v.error
                                    << " tolerance " << v.tolerance;
          }
        }
  tried.end();
}

/// One object gets two data sets in turn: the second must not need or use remains of the first.
template <class T>
void expect_new_data_need_nothing_else(const harness::Choice& s, Problem first, const Problem& second) {
  const kde::Entry& e = kde::entry_of(s);
  first.n = second.n;
  const auto fresh = kde::random_samples<T>(second);
  auto old = kde::random_samples<T>(first);
  // For the same problem, move the old samples far away, where they cover as many boxes and grid points.
  if (describe(first) == describe(second))
    for (T& x : old) x += T(20);  // farther than the margin of a grid around the samples
  const auto v = e.make<T>(second, s.tuning);
  std::vector<T> density(fresh.size());
  const auto run = [&](const std::vector<T>& samples) {
    v->load(samples.data());
    v->advance();
    v->synchronise();
  };
  run(old);
  run(fresh);
  v->store(density.data());
  EXPECT_TRUE(verify(second, e, known_reference(second, fresh), density).passed())
      << s.name() << " on " << describe(second) << " after " << describe(first);
  if (e.preparation.empty()) return;
  // The prepared data is there, and loading the samples again does not disturb it.
  std::fill(density.begin(), density.end(), std::numeric_limits<T>::quiet_NaN());
  v->load(fresh.data());
  v->advance_prepared();
  v->synchronise();
  v->store(density.data());
  EXPECT_TRUE(verify(second, e, known_reference(second, fresh), density).passed())
      << s.name() << " on " << describe(second) << ", prepared";
}

TEST_P(EveryKdeVariant, ANewDataSetNeedsLoadAndAdvanceOnly) {
  const harness::Choice s = harness::select(kde::study(), {GetParam()}).front();
  test::Tried tried;
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const auto& [a, b] : std::initializer_list<std::pair<Distribution, Distribution>>{
             {Distribution::uniform, Distribution::lognormal},
             {Distribution::lognormal, Distribution::bimodal},
             {Distribution::normal, Distribution::normal}}) {
      Problem first, second;
      second.n = 900, second.bandwidth = 0.2, second.distribution = b, second.precision = precision;
      first = second, first.distribution = a;
      if (!tried.can(kde::study().task_of(second)->why_not(s))) continue;
      precision == Precision::f32 ? expect_new_data_need_nothing_else<float>(s, first, second)
                                  : expect_new_data_need_nothing_else<double>(s, first, second);
    }
  tried.end();
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& e : kde::registry()) all.push_back(e.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Kde, EveryKdeVariant, testing::ValuesIn(names()), test::name_of_case);

TEST(KdeVariants, RepeatableOnesGiveTheSameBitsForAnyNumberOfThreads) {
  Problem p;
  p.n = 3000, p.bandwidth = 0.1;
  const int threads = omp_get_max_threads();
  for (const char* name :
       {"openmp-symmetric", "openmp-register-tile", "kokkos-symmetric", "kokkos-register-tile",
        "cuda-symmetric", "cuda-symmetric-ticket", "cuda-symmetric-ticket/4x4x3"}) {
    const harness::Choice s = harness::select(kde::study(), {name}).front();
    if (kde::study().task_of(p)->why_not(s)) continue;
    const auto first = density_of<float>(p, s);
    EXPECT_EQ(first, density_of<float>(p, s)) << name;
    if (s.entry->family != harness::Family::openmp) continue;
    omp_set_num_threads(1);
    EXPECT_EQ(first, density_of<float>(p, s)) << name << " on one thread";
    omp_set_num_threads(threads);
  }
}

TEST(KdeReference, AgreesWithTheCompensatedSum) {
  for (const Distribution d : {Distribution::lognormal, Distribution::normal, Distribution::bimodal,
                               Distribution::uniform, Distribution::clustered})
    for (const double h : {1e-4, 0.01, 0.3, 10.0}) {
      Problem p;
      p.n = 5003, p.bandwidth = h, p.distribution = d;
      const auto samples = kde::random_samples<double>(p);
      const auto density = reference_density(p, samples);  // checks itself at 64 samples
      double worst = 0;
      for (std::int64_t i = 0; i < p.n; i += 7) {
        const double exact = kde::compensated_sum(samples, {}, samples[std::size_t(i)], h) * p.norm();
        worst = std::max(worst, std::fabs(density[std::size_t(i)] - exact) / exact);
      }
      EXPECT_LE(worst, 1e-13) << describe(p);
    }
}

TEST(KdeVerification, FailsForWrongDensities) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    Problem p;
    p.n = 501, p.bandwidth = 0.2, p.precision = precision;
    const auto samples = kde::random_samples<double>(p);
    const auto expected = reference_density(p, samples);
    kde::Entry entry;
    const double gate = tolerance(p, entry);
    const auto verdict = [&](const std::vector<double>& density) {
      return verify(p, entry, expected, density);
    };
    EXPECT_TRUE(verdict(expected).passed());
    const auto broken = [&](const auto& change) {
      auto density = expected;
      change(density);
      const auto v = verdict(density);
      EXPECT_FALSE(v.passed()) << "error " << v.error << " gate " << gate;
    };
    broken([&](auto& f) {
      for (double& x : f) x *= 1 + 2 * gate;
    });                                                                       // a factor
    broken([&](auto& f) { f[17] += 2 * gate * std::max(f[17], p.norm()); });  // one value
    broken([&](auto& f) { f[500] = std::nan(""); });                          // never written
    broken([&](auto& f) { f[3] = 0; });
    broken([&](auto& f) { std::swap(f[0], f[1]); });  // permuted
    Problem other = p;
    other.bandwidth *= 1 + 1e-5;
    if (precision == Precision::f32) other.bandwidth = p.bandwidth * 1.0001;
    EXPECT_FALSE(verdict(reference_density(other, samples)).passed());  // a bandwidth
    auto fewer = samples;
    fewer.back() = fewer.front();
    EXPECT_FALSE(verdict(reference_density(p, fewer)).passed());  // a sample
  }
}

TEST(KdeVerification, ApproximateVariantsAreHeldToTheirTolerance) {
  Problem p;
  p.n = 400, p.bandwidth = 0.2;
  kde::Entry approximate;
  approximate.accuracy = kde::Accuracy::approximate;
  const auto samples = kde::random_samples<double>(p);
  const auto expected = reference_density(p, samples);
  auto density = expected;
  density[5] += 3e-7 * *std::max_element(expected.begin(), expected.end());
  EXPECT_FALSE(verify(p, approximate, expected, density).passed());
  p.tolerance = 1e-6;
  EXPECT_TRUE(verify(p, approximate, expected, density).passed());
}

}  // namespace

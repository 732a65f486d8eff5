// SPDX-License-Identifier: BSD-3-Clause
// Properties of the filter on random problems, for every variant that can run here.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "diffusion/padded_copy.hpp"
#include "run_variant.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;

Problem random_problem() {
  Problem p;
  p.halo = *rc::gen::inRange(2, 5);
  p.nx = *rc::gen::inRange(int(p.halo), 70);
  p.ny = *rc::gen::inRange(int(p.halo), 70);
  p.nz = *rc::gen::inRange(1, 5);
  p.steps = *rc::gen::inRange(1, 20);
  p.alpha = stability_limit * *rc::gen::inRange(1, 33) / 32.0;
  p.precision = *rc::gen::element(Precision::f32, Precision::f64);
  p.seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  return p;
}

using harness::Choice;

Choice random_variant(const Problem& p) {
  std::vector<Choice> runnable;
  const auto task = study().task_of(p);
  for (const Choice& c : test::choices({"*+*/*"}))
    if (!task->why_not(c) && !c.entry->floor) runnable.push_back(c);
  return runnable.at(std::size_t(*rc::gen::inRange(0, int(runnable.size()))));
}

std::vector<double> filtered(const Choice& s, const Problem& p, const std::vector<double>& field) {
  const std::vector<double> padded = test::result_of(p, s, field);
  std::vector<double> result(field.size());
  extract_interior(p, padded.data(), result.data());
  return result;
}

TEST(Filter, AgreesWithTheExactSolution) {
  EXPECT_TRUE(rc::check("any variant, any problem", [] {
    const Problem p = random_problem();
    const Choice s = random_variant(p);
    const auto verdict = test::verdict_of(p, s);
    RC_TAG(s.entry->name);
    if (!verdict.passed()) RC_FAIL(s.name() + " on " + describe(p));
  }));
}

TEST(Filter, IsTranslationInvariant) {
  EXPECT_TRUE(rc::check("shifting the field shifts the result", [] {
    Problem p = random_problem();
    p.precision = Precision::f64;
    const Choice s = random_variant(p);
    const std::int64_t dj = *rc::gen::inRange(0, int(p.ny)), di = *rc::gen::inRange(0, int(p.nx));
    const auto shift = [&](const std::vector<double>& f) {
      std::vector<double> g(f.size());
      for (std::int64_t k = 0; k < p.nz; ++k)
        for (std::int64_t j = 0; j < p.ny; ++j)
          for (std::int64_t i = 0; i < p.nx; ++i)
            g[std::size_t((k * p.ny + (j + dj) % p.ny) * p.nx + (i + di) % p.nx)] =
                f[std::size_t((k * p.ny + j) * p.nx + i)];
      return g;
    };
    const auto field = random_field<double>(p);
    const auto a = shift(filtered(s, p, field)), b = filtered(s, p, shift(field));
    for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(std::abs(a[i] - b[i]) < 1e-13);
  }));
}

TEST(Filter, ConservesTheSumOfEachPlane) {
  EXPECT_TRUE(rc::check("the mean of a plane stays", [] {
    Problem p = random_problem();
    p.precision = Precision::f64;
    const Choice s = random_variant(p);
    const auto field = random_field<double>(p), result = filtered(s, p, field);
    const std::ptrdiff_t plane = p.nx * p.ny;
    for (std::ptrdiff_t k = 0; k < p.nz; ++k) {
      const double before = std::accumulate(field.begin() + k * plane, field.begin() + (k + 1) * plane, 0.0);
      const double after = std::accumulate(result.begin() + k * plane, result.begin() + (k + 1) * plane, 0.0);
      RC_ASSERT(std::abs(before - after) < 1e-13 * double(plane));
    }
  }));
}

}  // namespace

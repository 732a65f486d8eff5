// SPDX-License-Identifier: BSD-3-Clause
// Properties of the filter on random problems, for every variant that can run here.
#include <gtest/gtest.h>
#include <rapidcheck.h>

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

TEST(Filter, AgreesWithTheExactSolution) {
  EXPECT_TRUE(rc::check("any variant, any problem", [] {
    const Problem p = random_problem();
    const Choice s = random_variant(p);
    const auto verdict = test::verdict_of(p, s);
    RC_TAG(s.entry->name);
    if (!verdict.passed()) RC_FAIL(s.name() + " on " + describe(p));
  }));
}

}  // namespace

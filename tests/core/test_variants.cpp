// SPDX-License-Identifier: BSD-3-Clause
// Every variant that can run here, with every tuning, against the exact solution.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "run_variant.hpp"
#include "tried.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using harness::Choice;
using runtime::Precision;
using test::problem;

class EveryVariant : public testing::TestWithParam<std::string> {};

TEST_P(EveryVariant, AgreesWithTheExactSolution) {
  const auto all_tunings = test::choices({GetParam() + "+*/*"});
  std::vector<Problem> problems;
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    // Sizes that no tile divides, the smallest valid ones, even and odd steps, halos 2 and 3.
    problems.push_back(problem(1, 5, 7, 9, 2, precision));
    problems.push_back(problem(3, 17, 33, 6, 3, precision));
    problems.push_back(problem(2, 33, 17, 7, 2, precision));
    problems.push_back(problem(1, 2, 2, 5, 2, precision));
    problems.push_back(problem(2, 2, 9, 4, 2, precision));
    problems.push_back(problem(2, 9, 2, 3, 2, precision));
    problems.push_back(problem(1, 3, 3, 4, 3, precision));
    problems.push_back(problem(5, 1030, 6, 2, 2, precision));
    problems.push_back(problem(1, 6, 1030, 1, 2, precision));
    // Sizes for teams with planes in registers.
    problems.push_back(problem(3, 16, 16, 5, 2, precision));
    problems.push_back(problem(1, 48, 100, 7, 3, precision));
  }
  test::Tried tried;
  for (const Problem& p : problems)
    for (const Choice& s : all_tunings) {
      if (!tried.can(test::why_not(s, p))) continue;
      const auto verdict = test::verdict_of(p, s);
      EXPECT_TRUE(verdict.passed()) << s.name() << " on " << describe(p) << " halo " << p.halo << ": error "
                                    << verdict.error;
    }
  tried.end();
}

TEST_P(EveryVariant, AgreesAtFullSize) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    // 64 x 128 x 96 (nz, ny, nx); the single-threaded loop runs fewer steps.
    const Problem p = problem(64, 128, 96, GetParam() == "reference-loop" ? 8 : 33, 2, precision);
    const Choice s = test::choices({GetParam()}).front();
    if (const auto why = test::why_not(s, p)) GTEST_SKIP() << *why;
    const auto verdict = test::verdict_of(p, s);
    EXPECT_TRUE(verdict.passed()) << s.name() << ": error " << verdict.error;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& e : diffusion::registry()) all.push_back(e.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Diffusion, EveryVariant, testing::ValuesIn(names()), test::name_of_case);

TEST(Variants, RunAgainGivesTheSameBits) {
  const Problem p = problem(2, 19, 23, 11, 2, Precision::f32);
  for (const Choice& s : test::choices({"*+*"})) {
    if (test::why_not(s, p)) continue;
    const auto field = diffusion::random_field<float>(p);
    const auto variant = diffusion::entry_of(s).make<float>(p, s.tuning);
    const auto first = test::result_of(p, diffusion::mechanism_of(s), field, *variant);
    variant->load(field.data());
    variant->advance();
    variant->synchronise();
    std::vector<float> second(first.size());
    variant->store(second.data());
    EXPECT_EQ(first, second) << s.name();
  }
}

TEST(Variants, SameArithmeticGivesTheSameBits) {
  const Problem p = problem(3, 21, 35, 10, 2, Precision::f64);
  const auto field = diffusion::random_field<double>(p);
  const auto result = [&](const char* name) {
    const Choice s = test::choices({name}).front();
    return test::result_of(p, s, field);
  };
  for (const char* two_stage : {"openmp-field-update", "openmp-tile", "openmp-plane", "openmp-temporal"})
    EXPECT_EQ(result("reference-loop"), result(two_stage)) << two_stage;
  for (const char* direct :
       {"openmp-fused-wrap", "kokkos-fused", "kokkos-fused-1d", "kokkos-fused-wrap", "kokkos-fused-column",
        "kokkos-fused-tuned", "kokkos-fused-1d-tuned", "kokkos-fused-wrap-tuned", "kokkos-fused-column-tuned",
        "kokkos-fused+kokkos-graph-whole", "kokkos-fused-tuned+kokkos-graph-whole"})
    if (!test::choices({direct}).front().entry->on_device()) {
      EXPECT_EQ(result("openmp-fused"), result(direct)) << direct;
    }
}

std::optional<std::string> why_no_mechanism(const diffusion::Entry& e, const std::string& mechanism) {
  for (const diffusion::Mechanism& m : diffusion::mechanisms())
    if (m.name == mechanism) return diffusion::why_no_mechanism(e, m);
  throw std::logic_error(mechanism);
}

/// Entries as in a build with CUDA.
TEST(Variants, OnlyWholeRunsOfExchangesAreCaptured) {
  const auto why_not = [](bool exchanges, const std::string& mechanism) {
    diffusion::Entry e;
    e.family = diffusion::Family::cuda, e.exchanges = exchanges;
    return why_no_mechanism(e, mechanism);
  };
  EXPECT_FALSE(why_not(true, "stream"));
  EXPECT_FALSE(why_not(true, "graph-whole"));
  EXPECT_TRUE(why_not(true, "graph-two"));
  EXPECT_TRUE(why_not(true, "kokkos-graph-whole"));
  EXPECT_TRUE(why_not(false, "graph-whole"));
}

TEST(Variants, KokkosGraphsHoldNativeKernelsToo) {
  diffusion::Entry e;
  e.stepped = true, e.family = diffusion::Family::cuda;
  for (const char* mechanism :
       {"kokkos-graph-copy", "kokkos-graph-two", "kokkos-graph-unrolled", "kokkos-graph-whole"})
    EXPECT_FALSE(why_no_mechanism(e, mechanism)) << mechanism;
  EXPECT_TRUE(why_no_mechanism(e, "kokkos-graph-fork")) << "nothing is side by side";
  e.forks = true;
  EXPECT_FALSE(why_no_mechanism(e, "kokkos-graph-fork"));
  e.family = diffusion::Family::openmp;
  EXPECT_TRUE(why_no_mechanism(e, "kokkos-graph-two"));
}

Problem random_problem() {
  Problem p = problem(*rc::gen::inRange(1, 5), 0, 0, *rc::gen::inRange(1, 20), *rc::gen::inRange(2, 5),
                      *rc::gen::element(Precision::f32, Precision::f64));
  p.nx = *rc::gen::inRange(int(p.halo), 70);
  p.ny = *rc::gen::inRange(int(p.halo), 70);
  p.alpha = diffusion::stability_limit * *rc::gen::inRange(1, 33) / 32.0;
  p.seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  return p;
}

TEST(AnyVariant, AgreesWithTheExactSolutionOfAnyProblem) {
  EXPECT_TRUE(rc::check("any variant, any problem", [] {
    const Problem p = random_problem();
    const auto task = diffusion::study().task_of(p);
    std::vector<Choice> runnable;
    for (const Choice& c : test::choices({"*+*/*"}))
      if (!task->why_not(c) && !c.entry->floor) runnable.push_back(c);
    const Choice& c = runnable.at(std::size_t(*rc::gen::inRange(0, int(runnable.size()))));
    if (!test::verdict_of(p, c).passed()) RC_FAIL(c.name() + " on " + describe(p));
  }));
}

}  // namespace

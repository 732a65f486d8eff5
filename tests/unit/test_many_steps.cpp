// SPDX-License-Identifier: BSD-3-Clause
// Variants that take planes through many steps at once, on the sizes where their forms change: planes that
// fill a warp, a block or a cluster and planes that do not, and numbers of steps that leave a rest.
#include <gtest/gtest.h>

#include "run_variant.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using harness::Choice;
using runtime::Precision;

struct Size {
  std::int64_t nz, ny, nx, steps;
};

const std::vector<Size>& sizes() {
  static const std::vector<Size> all = {
      {3, 16, 16, 70},   {2, 32, 32, 33},   {5, 64, 64, 64},    {2, 128, 128, 97}, {2, 100, 100, 35},
      {2, 129, 127, 40}, {1, 97, 113, 5},   {2, 61, 30, 66},    {1, 31, 24, 3},    {1, 17, 9, 31},
      {3, 256, 256, 34}, {1, 250, 201, 19}, {1, 512, 512, 33},  {1, 500, 499, 2},  {2, 40, 700, 17},
      {2, 700, 40, 18},  {1, 600, 1000, 1}, {1, 721, 1440, 37}, {1, 301, 1443, 20}};
  return all;
}

Problem problem(const Size& s, double alpha, std::int64_t halo, Precision precision) {
  Problem p;
  p.nz = s.nz, p.ny = s.ny, p.nx = s.nx, p.steps = s.steps, p.alpha = alpha, p.halo = halo;
  p.precision = precision;
  return p;
}

class ManySteps : public testing::TestWithParam<std::string> {
 protected:
  /// With every tuning on a GPU; a host's are tried on smaller planes elsewhere, and take minutes on these.
  std::vector<Choice> choices() const {
    const bool on_device = test::choices({GetParam()}).front().entry->on_device();
    return test::choices({GetParam() + (on_device ? "/*" : "")});
  }
};

TEST_P(ManySteps, AgreeWithTheExactSolutionWhereFormsChange) {
  int checked = 0;
  std::string reason;
  for (const Choice& c : choices())
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const double alpha : {1.0 / 32, 0.03})
        for (const Size& s : sizes()) {
          const Problem p = problem(s, alpha, s.steps % 2 == 0 ? 2 : 3, precision);
          if (const auto why = test::why_not(c, p)) {
            reason = *why;
            continue;
          }
          const auto verdict = test::verdict_of(p, c);
          EXPECT_TRUE(verdict.passed()) << c.name() << " on " << describe(p) << ": error " << verdict.error;
          ++checked;
        }
  if (checked == 0) GTEST_SKIP() << reason;
}

/// Threads that read what another has not written yet give other bits from run to run.
TEST_P(ManySteps, GiveTheSameBitsAgain) {
  int checked = 0;
  std::string reason;
  for (const Choice& c : choices())
    for (const Size& s : {Size{7, 128, 128, 45}, Size{3, 100, 90, 40}, Size{2, 256, 255, 33}}) {
      const Problem p = problem(s, 1.0 / 32, 2, Precision::f32);
      if (const auto why = test::why_not(c, p)) {
        reason = *why;
        continue;
      }
      const auto field = diffusion::random_field<float>(p);
      const auto first = test::result_of(p, c, field);
      for (int n = 0; n < 5; ++n)
        EXPECT_EQ(test::result_of(p, c, field), first) << c.name() << " on " << describe(p);
      ++checked;
    }
  if (checked == 0) GTEST_SKIP() << reason;
}

/// Asynchronous stores against barriers of the cluster, where both have the same form.
TEST(ClusterExchange, GivesTheSameBitsByBarriers) {
  const Choice asynchronous = test::choices({"cuda-plane-cluster"}).front(),
               barriers = test::choices({"cuda-plane-cluster-barriers"}).front();
  int checked = 0;
  std::string reason;
  for (const Size& s :
       {Size{5, 128, 128, 70}, Size{3, 100, 90, 41}, Size{2, 256, 256, 33}, Size{2, 250, 201, 34}}) {
    const Problem p = problem(s, 1.0 / 32, 2, Precision::f32);
    for (const Choice& c : {asynchronous, barriers})
      if (const auto why = test::why_not(c, p)) reason = *why;
    if (!reason.empty()) break;
    const auto field = diffusion::random_field<float>(p);
    EXPECT_EQ(test::result_of(p, asynchronous, field), test::result_of(p, barriers, field)) << describe(p);
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << reason;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& e : diffusion::registry())
    for (const char* part : {"-plane", "-temporal", "-team-", "-cooperative"})
      if (e.name.find(part) != std::string::npos && e.family != harness::Family::cupy) {
        all.push_back(e.name);
        break;
      }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Diffusion, ManySteps, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace

// SPDX-License-Identifier: BSD-3-Clause
// Variants that take planes through many steps at once, on the sizes where their forms change: planes that
// fill a warp, a block or a cluster and planes that do not, and numbers of steps that leave a rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

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
      {3, 16, 16, 70},    {2, 32, 32, 33},    {5, 64, 64, 64},   {2, 128, 128, 97}, {2, 100, 100, 35},
      {2, 129, 127, 40},  {2, 143, 100, 33},  {1, 270, 120, 35}, {2, 257, 255, 34}, {1, 97, 113, 5},
      {2, 61, 30, 66},    {1, 31, 24, 3},     {1, 17, 9, 31},    {3, 256, 256, 34}, {1, 250, 201, 19},
      {1, 512, 512, 33},  {1, 500, 499, 2},   {2, 40, 700, 17},  {2, 700, 40, 18},  {1, 600, 1000, 1},
      {1, 721, 1440, 37}, {1, 301, 1443, 20}, {5, 300, 1024, 9}, {3, 513, 511, 8}};
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

/// Threads that read what another has not written yet give other bits from run to run, or the same wrong
/// ones.
template <class T>
void expect_same_bits_again(const Problem& p, const Choice& c) {
  const auto field = diffusion::random_field<T>(p);
  const auto first = test::result_of(p, c, field);
  const auto verdict =
      diffusion::verify(p, field.data(), diffusion::fourier_solution(p, field.data()), first.data(),
                        diffusion::gate_of(p, diffusion::ErrorBound(p), diffusion::entry_of(c)));
  EXPECT_TRUE(verdict.passed()) << c.name() << " on " << describe(p) << ": error " << verdict.error;
  const int again = c.entry->on_device() ? 5 : 2;
  for (int n = 0; n < again; ++n)
    EXPECT_EQ(test::result_of(p, c, field), first) << c.name() << " on " << describe(p);
}

TEST_P(ManySteps, GiveTheSameBitsAgain) {
  int checked = 0;
  std::string reason;
  for (const Choice& c : choices())
    for (const auto& [s, precision] :
         {std::pair(Size{7, 128, 128, 45}, Precision::f32), std::pair(Size{3, 100, 90, 40}, Precision::f32),
          std::pair(Size{2, 256, 255, 33}, Precision::f32), std::pair(Size{2, 512, 512, 33}, Precision::f32),
          std::pair(Size{3, 40, 700, 18}, Precision::f32), std::pair(Size{2, 256, 256, 33}, Precision::f64),
          std::pair(Size{3, 100, 100, 35}, Precision::f64)}) {
      const Problem p = problem(s, 1.0 / 32, 2, precision);
      if (const auto why = test::why_not(c, p)) {
        reason = *why;
        continue;
      }
      precision == Precision::f32 ? expect_same_bits_again<float>(p, c)
                                  : expect_same_bits_again<double>(p, c);
      ++checked;
    }
  if (checked == 0) GTEST_SKIP() << reason;
}

/// More planes than a GPU holds at a time: parts of their steps are launches of their own then.
TEST_P(ManySteps, AgreeWithTheExactSolutionWherePlanesTakeTurns) {
  const std::vector<Choice> all = choices();
  if (!all.front().entry->on_device()) GTEST_SKIP() << "a host's planes wait for a thread each";
  int checked = 0;
  std::string reason;
  for (const Choice& c : all)
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const Size& s : {Size{70, 129, 127, 81}, Size{37, 256, 256, 131}, Size{17, 512, 512, 97},
                            Size{31, 250, 255, 99}, Size{600, 40, 31, 131}}) {
        const Problem p = problem(s, 1.0 / 32, 2, precision);
        if (const auto why = test::why_not(c, p)) {
          reason = *why;
          continue;
        }
        precision == Precision::f32 ? expect_same_bits_again<float>(p, c)
                                    : expect_same_bits_again<double>(p, c);
        ++checked;
      }
  if (checked == 0) GTEST_SKIP() << reason;
}

/// What comes of a problem in a variant of its own, twice; the second time other values were there before.
template <class T>
void expect_same_bits_twice(const Problem& p, const Choice& c) {
  const auto field = diffusion::random_field<T>(p);
  const auto variant = diffusion::entry_of(c).template make<T>(p, c.tuning);
  const auto& plain = diffusion::mechanisms().front();
  const auto first = test::result_of(p, plain, field, *variant);
  EXPECT_EQ(test::result_of(p, plain, field, *variant), first) << c.name() << " on " << describe(p);
}

/// A hundred problems of any size, steps, coefficient and precision. They are larger on a GPU, whose kernels'
/// forms change up to 600 points.
TEST_P(ManySteps, GiveTheSameBitsAHundredTimesOnRandomSizes) {
  const auto all = choices();
  const bool on_device = all.front().entry->on_device();
  const std::int64_t most = on_device ? 600 : 40, most_steps = on_device ? 70 : 15;
  std::mt19937 random(17);
  // A small divisor now and then: some forms take no other sizes.
  const auto draw = [&](std::int64_t least, std::int64_t greatest) {
    const std::int64_t n = least + std::int64_t(random() % std::uint64_t(greatest - least + 1));
    return random() % 2 == 0 ? std::max<std::int64_t>(least, n / 16 * 16) : n;
  };
  int checked = 0;
  std::string reason = "no size fits";
  for (int tried = 0; checked < 100 && tried < 20000; ++tried) {
    const Choice& c = all[std::size_t(tried) % all.size()];
    const Size s{draw(1, 6), draw(2, most), draw(2, most), draw(1, most_steps)};
    const Problem p = problem(s, random() % 2 == 0 ? 1.0 / 32 : 0.03, 2,
                              random() % 2 == 0 ? Precision::f32 : Precision::f64);
    if (const auto why = test::why_not(c, p)) {
      reason = *why;
      if (!c.entry->unavailable.empty()) break;
      continue;
    }
    p.precision == Precision::f32 ? expect_same_bits_twice<float>(p, c)
                                  : expect_same_bits_twice<double>(p, c);
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << reason;
  EXPECT_EQ(checked, 100) << "too few sizes fit";
}

/// What waits for other blocks must have all of them at work: what cannot is refused, and nothing starts.
TEST(Residency, GridsThatCannotBeResidentAreRefused) {
  int checked = 0;
  std::string reason;
  const auto refused = [&](const std::string& word, const Size& s, Precision precision) {
    // A host's rows have no tunings of blocks.
    const harness::Entry& e = *test::choices({word.substr(0, word.find('/'))}).front().entry;
    if (!e.unavailable.empty() || !e.on_device()) {
      reason = e.unavailable.empty() ? "its teams are a host's threads" : e.unavailable;
      return;
    }
    EXPECT_TRUE(test::why_not(test::choices({word}).front(), problem(s, 1.0 / 32, 2, precision)).has_value())
        << word;
    ++checked;
  };
  const Size small{2, 64, 64, 3};
  refused("cuda-cooperative/1024", small, Precision::f32);
  refused("cuda-cooperative/48", small, Precision::f32);
  refused("kokkos-grid-barrier/1024x4", small, Precision::f32);
  refused("cuda-plane-cluster/32", small, Precision::f32);
  refused("cuda-plane-cluster", {1, 1024, 1024, 3}, Precision::f32);
  refused("cuda-plane-cluster", {1, 1024, 512, 3}, Precision::f64);
  refused("cuda-plane-registers", {1, 129, 128, 3}, Precision::f32);
  refused("cuda-plane-registers", {1, 128, 129, 3}, Precision::f64);
  refused("cuda-resident", {1, 64, 1025, 3}, Precision::f32);
  refused("cuda-resident", {1, 64, 513, 3}, Precision::f64);
  refused("cuda-resident", {1, 8192, 1024, 3}, Precision::f32);
  refused("cuda-resident/4", {1, 64, 1024, 3}, Precision::f32);
  refused("kokkos-team-registers", {1, 512, 512, 3}, Precision::f32);
  refused("kokkos-team-resident", {1, 20000, 512, 3}, Precision::f32);
  refused("kokkos-team-resident", {1, 64, 513, 3}, Precision::f32);
  if (checked == 0) GTEST_SKIP() << reason;
}

/// Asynchronous stores against barriers of the cluster, where both have the same form: of plane_groups, since
/// plane_seams has no barriers of the cluster.
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
    for (const char* part : {"-plane", "-temporal", "-team-", "-cooperative", "-resident"})
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

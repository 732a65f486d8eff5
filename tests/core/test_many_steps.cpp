// SPDX-License-Identifier: BSD-3-Clause
// Variants that advance planes by many steps at once, at the sizes where their configurations change: planes
// that do and do not fill a warp, a block or a cluster, and numbers of steps with a remainder.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "run_variant.hpp"
#include "runtime/device.hpp"
#include "tried.hpp"

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

/// Enough planes for kokkos-resident to use its configurations of full teams, too.
const std::vector<Size>& sizes_of_devices() {
  static const std::vector<Size> all = [] {
    std::vector<Size> more = sizes();
    more.insert(more.end(), {{70, 256, 256, 34}, {34, 256, 256, 1}, {17, 512, 512, 6}});
    return more;
  }();
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
  /// Uses every tuning on a GPU. A host takes minutes here; its tunings run on smaller planes elsewhere.
  std::vector<Choice> choices() const {
    const bool on_device = test::choices({GetParam()}).front().entry->on_device();
    return test::choices({GetParam() + (on_device ? "/*" : "")});
  }
};

template <class T>
void expect_right(const Problem& p, const Choice& c, const std::vector<T>& field,
                  const std::vector<T>& result) {
  const auto verdict =
      diffusion::verify(p, field.data(), diffusion::fourier_solution(p, field.data()), result.data(),
                        diffusion::gate_of(p, diffusion::ErrorBound(p), diffusion::entry_of(c)));
  EXPECT_TRUE(verdict.passed()) << c.name() << " on " << describe(p) << ": error " << verdict.error;
}

/// Threads that read values before another thread writes them give other bits from run to run, or the same
/// wrong ones. So the result must be right, and identical after other data was there and in a new variant
/// object.
template <class T>
void expect_same_bits_again(const Problem& p, const Choice& c, int again) {
  const auto field = diffusion::random_field<T>(p);
  const auto variant = diffusion::entry_of(c).template make<T>(p, c.tuning);
  const auto& plain = diffusion::mechanisms().front();
  const auto first = test::result_of(p, plain, field, *variant);
  expect_right(p, c, field, first);
  if (again > 0) {
    EXPECT_EQ(test::result_of(p, plain, field, *variant), first) << c.name() << " on " << describe(p);
  }
  for (int n = 0; n < again; ++n)
    EXPECT_EQ(test::result_of(p, c, field), first) << c.name() << " on " << describe(p) << ", made anew";
}

void expect_same_bits_again(const Problem& p, const Choice& c, int again) {
  p.precision == Precision::f32 ? expect_same_bits_again<float>(p, c, again)
                                : expect_same_bits_again<double>(p, c, again);
}

TEST_P(ManySteps, AreRightWhereFormsChange) {
  test::Tried tried;
  for (const Choice& c : choices())
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const double alpha : {1.0 / 32, 0.03})
        for (const Size& s : c.entry->on_device() ? sizes_of_devices() : sizes()) {
          const Problem p = problem(s, alpha, s.steps % 2 == 0 ? 2 : 3, precision);
          if (!tried.can(test::why_not(c, p))) continue;
          expect_same_bits_again(p, c, c.entry->on_device() && alpha == 1.0 / 32 ? 5 : 0);
        }
  tried.end();
}

template <class T>
diffusion::Turns turns_of_variant(const Problem& p, const Choice& c) {
  return diffusion::entry_of(c).template make<T>(p, c.tuning)->turns();
}
diffusion::Turns turns_of_variant(const Problem& p, const Choice& c) {
  return p.precision == Precision::f32 ? turns_of_variant<float>(p, c) : turns_of_variant<double>(p, c);
}

/// More planes than a GPU holds at a time, so that steps are split into launches or planes into batches. The
/// variant says how many it holds; 'nz' is for variants that leave it to the hardware.
TEST_P(ManySteps, AgreeWithTheExactSolutionWherePlanesTakeTurns) {
  const std::vector<Choice> all = choices();
  if (!all.front().entry->on_device()) GTEST_SKIP() << "a host's planes wait for a thread each";
  test::Tried tried;
  for (const Choice& c : all)
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const double alpha : {1.0 / 32, 0.03})
        for (const Size& s : {Size{70, 129, 127, 81}, Size{37, 256, 256, 131}, Size{17, 512, 512, 97},
                              Size{31, 250, 255, 99}, Size{600, 40, 31, 131}}) {
          Problem p = problem(s, alpha, 2, precision);
          if (!tried.can(test::why_not(c, p))) continue;
          p.nz = 1;
          const std::int64_t at_once = turns_of_variant(p, c).at_once;
          if (at_once == 0) {
            if (alpha != 1.0 / 32) continue;
            p.nz = s.nz;
            expect_same_bits_again(p, c, 1);
          } else {
            // Slightly more than whole batches, so that a cut pays off unless a batch is one plane.
            p.nz = at_once + at_once / 4 + 1;
            const int parts = turns_of_variant(p, c).parts;
            if (at_once > 1) {
              EXPECT_GT(parts, 1) << c.name() << " on " << describe(p) << ": " << at_once << " fit";
            }
            expect_same_bits_again(p, c, 5);
          }
        }
  tried.end();
}

/// A hundred problems of random size, steps, coefficient and precision. They are larger on a GPU, whose
/// kernels have different configurations up to 600 points.
TEST_P(ManySteps, AreRightAndGiveTheSameBitsAHundredTimesOnRandomSizes) {
  const auto all = choices();
  const bool on_device = all.front().entry->on_device();
  const std::int64_t most = on_device ? 600 : 40, most_steps = on_device ? 70 : 15;
  std::mt19937 random(17);
  // A multiple of 16 half of the time: some configurations take no other sizes.
  const auto draw = [&](std::int64_t least, std::int64_t greatest) {
    const std::int64_t n = least + std::int64_t(random() % std::uint64_t(greatest - least + 1));
    return random() % 2 == 0 ? std::max<std::int64_t>(least, n / 16 * 16) : n;
  };
  test::Tried tried;
  for (int n = 0; tried.count < 100 && n < 20000; ++n) {
    const Choice& c = all[std::size_t(n) % all.size()];
    const Size s{draw(1, 6), draw(2, most), draw(2, most), draw(1, most_steps)};
    const Problem p = problem(s, random() % 2 == 0 ? 1.0 / 32 : 0.03, 2,
                              random() % 2 == 0 ? Precision::f32 : Precision::f64);
    if (tried.can(test::why_not(c, p)))
      expect_same_bits_again(p, c, 1);
    else if (!c.entry->why_unavailable().empty())
      break;
  }
  tried.end();
  EXPECT_TRUE(tried.count == 0 || tried.count == 100) << "too few sizes fit";
}

/// A host's variants have no tunings of blocks, so a name with one cannot run there.
std::optional<std::string> why_no_blocks(const std::string& word) {
  const harness::Entry& e = *test::choices({word.substr(0, word.find('/'))}).front().entry;
  if (const std::string why = e.why_unavailable(); !why.empty()) return why;
  if (!e.on_device()) return "its teams are a host's threads";
  return std::nullopt;
}
/// True on a GPU, with code, for which the largest configurations exist: a refusal there is wrong.
bool has_largest_forms(const std::string& why) {
  const auto device = runtime::device();
  return device && device->major == 9 && device->runtime >= 12010 &&
         why.find("this build's is for") == std::string::npos;
}

/// The largest plane that a device holds gives a right result, and one more row is refused.
TEST(Residency, OneRowMoreThanFitsIsRefused) {
  test::Tried tried;
  const auto most_rows = [&](const char* name, std::int64_t nx, std::int64_t ny, Precision precision,
                             const char* because) {
    if (!tried.can(why_no_blocks(name))) return;
    const Choice c = test::choices({name}).front();
    Problem p = problem({1, ny, nx, 3}, 1.0 / 32, 2, precision);
    if (const auto why = test::why_not(c, p)) {
      EXPECT_FALSE(has_largest_forms(*why)) << name << " on " << describe(p) << ", refused: " << *why;
    } else {
      expect_same_bits_again(p, c, 0);
    }
    ++p.ny;
    const std::string more = test::why_not(c, p).value_or("not at all");
    EXPECT_NE(more.find(because), std::string::npos)
        << name << " on " << describe(p) << ", refused: " << more;
  };
  const auto device = runtime::device();
  const std::int64_t processors = device ? device->multiprocessors : 1;
  const char *const block = "does not fit the registers of a block",
                    *const cluster = "does not fit the registers of a cluster";
  most_rows("cuda-plane-registers", 128, 128, Precision::f32, block);
  most_rows("cuda-plane-registers", 128, 128, Precision::f64, block);
  most_rows("cuda-plane-cluster", 256, 2048, Precision::f32, cluster);
  most_rows("cuda-plane-cluster", 512, 1024, Precision::f32, cluster);
  most_rows("cuda-plane-cluster", 256, 1152, Precision::f64, cluster);
  // Two teams of four warps with eight rows each per multiprocessor, at most 64 teams per plane.
  const char* const teams = "cannot be shared out among teams";
  most_rows("kokkos-resident", 512, std::min<std::int64_t>(64, 2 * processors) * 32, Precision::f32, teams);
  most_rows("kokkos-resident/1", 128, 128, Precision::f64, teams);
  tried.end();
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
INSTANTIATE_TEST_SUITE_P(Diffusion, ManySteps, testing::ValuesIn(names()), test::name_of_case);

}  // namespace

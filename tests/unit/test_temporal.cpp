// SPDX-License-Identifier: BSD-3-Clause
// Several steps a pass give the bits of the same steps one by one, however planes are cut.
#include <gtest/gtest.h>

#include "diffusion/row_pipeline.hpp"
#include "pair_steps.hpp"
#include "run_variant.hpp"

namespace {

using namespace parity;
using diffusion::Cuts;
using diffusion::Problem;
using harness::Choice;
using runtime::Precision;

Problem problem(std::int64_t nz, std::int64_t ny, std::int64_t nx, std::int64_t steps, std::int64_t halo = 2,
                Precision precision = Precision::f64) {
  Problem p;
  p.nz = nz, p.ny = ny, p.nx = nx, p.steps = steps, p.halo = halo, p.precision = precision;
  return p;
}

/// The same arithmetic step by step: two stages on a host, pairs in a GPU's registers.
template <class T>
std::vector<T> single_steps(const Problem& p, const Choice& s, const std::vector<T>& field) {
  if (s.entry->on_device()) return test::pair_steps(p, field, true);
  std::vector<T> interior(field.size());
  diffusion::extract_interior(p, test::result_of(p, test::choices({"reference-loop"}).front(), field).data(),
                              interior.data());
  return interior;
}

template <class T>
void expect_same_bits(const Problem& p, const Choice& s) {
  const auto field = diffusion::random_field<T>(p);
  std::vector<T> interior(field.size());
  diffusion::extract_interior(p, test::result_of(p, s, field).data(), interior.data());
  EXPECT_EQ(interior, single_steps(p, s, field)) << s.name() << " on " << describe(p) << " halo " << p.halo;
}

class SeveralStepsAPass : public testing::TestWithParam<const char*> {};

TEST_P(SeveralStepsAPass, GiveTheBitsOfSingleSteps) {
  int checked = 0;
  std::string reason;
  for (const Choice& s : test::choices({std::string(GetParam()) + "/*"})) {
    const int pass = s.tuning[0];
    std::vector<Problem> problems;
    for (std::int64_t steps = 1; steps <= 2 * pass + 1; ++steps)
      problems.push_back(problem(2, 14, 19, steps));
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      // One plane, fewer rows than a pass reaches, seams within a strip and between strips, halos 2 and 3.
      problems.push_back(problem(1, 67, 45, pass + 2, 3, precision));
      problems.push_back(problem(1, 2, 35, pass + 1, 2, precision));
      problems.push_back(problem(3, 5, 2, 2 * pass, 2, precision));
      problems.push_back(problem(1, 3, 1301, pass, 3, precision));
      problems.push_back(problem(1, 31, 40, pass + 1, 2, precision));
      problems.back().alpha = 0.03;
    }
    for (const Problem& p : problems) {
      if (const auto why = test::why_not(s, p)) {
        reason = *why;
        continue;
      }
      p.precision == Precision::f32 ? expect_same_bits<float>(p, s) : expect_same_bits<double>(p, s);
      ++checked;
    }
  }
  if (checked == 0) GTEST_SKIP() << reason;
}
INSTANTIATE_TEST_SUITE_P(Temporal, SeveralStepsAPass,
                         testing::Values("openmp-temporal", "kokkos-team-temporal"), [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

/// Whatever points a thread has. Tuning 1x1 sums rows and columns in a warp and has bits of its own.
TEST(TeamRegisters, GiveTheBitsOfSingleSteps) {
  int checked = 0;
  std::string reason;
  for (const Choice& s : test::choices({"kokkos-team-registers/*"}))
    for (const std::int64_t steps : {1, 2, 37})
      for (const Problem& p :
           {problem(3, 16, 16, steps), problem(2, 32, 24, steps, 3), problem(2, 48, 32, steps),
            problem(1, 64, 100, steps), problem(2, 16, 30, steps), problem(1, 96, 128, steps)}) {
        if (const auto why = test::why_not(s, p)) {
          reason = *why;
          continue;
        }
        if (s.tuning[0] == 1 && p.nx == p.ny && p.nx <= 32) continue;
        expect_same_bits<double>(p, s);
        Problem single = p;
        single.precision = Precision::f32;
        if (!test::why_not(s, single)) expect_same_bits<float>(single, s);
        ++checked;
      }
  if (checked == 0) GTEST_SKIP() << reason;
}

/// All pieces of the cuts that so many threads would have, each with rows and output full of NaN.
std::vector<double> advance_as_with(int threads, const Problem& p, int columns,
                                    const std::vector<double>& field) {
  const int steps = int(p.steps);
  const Cuts cuts(p, steps, columns, threads);
  const double nan = diffusion::poison<double>;
  std::vector<double> out(field.size(), nan);
  for (std::int64_t n = cuts.pieces() - 1; n >= 0; --n) {
    std::vector<double> rows(std::size_t(diffusion::pipeline_room<double>(cuts, steps)), nan);
    diffusion::advance_piece(cuts, n, field.data(), out.data(), steps, p.alpha, rows.data());
  }
  return out;
}

TEST(RowPipeline, AnyNumberOfThreadsGivesTheSameBits) {
  const Choice reference = test::choices({"reference-loop"}).front();
  for (const Problem& p : {problem(1, 23, 18, 3), problem(3, 9, 41, 4), problem(2, 2, 2, 5)}) {
    const auto field = diffusion::random_field<double>(p);
    const auto padded = test::result_of(p, reference, field);
    std::vector<double> expected(field.size());
    diffusion::extract_interior(p, padded.data(), expected.data());
    for (const int threads : {1, 2, 3, 4, 7, 64})
      for (const int columns : {1, 5, 8, 17, 1000})
        EXPECT_EQ(advance_as_with(threads, p, columns, field), expected)
            << describe(p) << ", " << threads << " threads, " << columns << " columns";
  }
}

TEST(RowPipeline, RowsBeyondAnyCacheAreRefused) {
  const auto reason = [](const char* tuning, Precision precision) {
    return diffusion::refuse_pipeline(problem(1, 4, 1 << 20, 1000, 2, precision),
                                      *harness::parse_tuning(tuning));
  };
  EXPECT_FALSE(reason("8x65536", Precision::f32));
  EXPECT_TRUE(reason("8x65536", Precision::f64));
  EXPECT_TRUE(reason("1048576x1", Precision::f32));
  EXPECT_NE(reason("8x1048576", Precision::f32)->find("fewer steps or columns"), std::string::npos);
}

}  // namespace

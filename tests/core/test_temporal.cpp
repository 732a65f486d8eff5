// SPDX-License-Identifier: BSD-3-Clause
// Several steps per pass give the same bits as single steps, for all cuts of planes.
#include <gtest/gtest.h>
#include <omp.h>

#include <tuple>

#include "diffusion/passes.hpp"
#include "diffusion/temporal/row_pipeline.hpp"
#include "harness/plan.hpp"
#include "pair_steps.hpp"
#include "run_variant.hpp"
#include "tried.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using harness::Choice;
using runtime::Precision;
using test::problem;

/// The same arithmetic step by step: two stages on a host, pairs in a GPU's registers except for the smallest
/// planes of floats.
template <class T>
std::vector<T> single_steps(const Problem& p, const Choice& s, const std::vector<T>& field) {
  const bool crossed = sizeof(T) == 4 && p.nx == 16 && p.ny == 16 && s.name() == "kokkos-plane-registers/1x1";
  if (s.entry->on_device()) return test::pair_steps(p, field, true, crossed);
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

/// One plane, fewer rows than the reach of a pass, seams within a strip and between strips, halos 2 and 3,
/// passes of all lengths.
std::vector<Problem> problems_of_passes(int pass) {
  std::vector<Problem> all;
  for (std::int64_t steps = 1; steps <= 2 * pass + 1; ++steps) all.push_back(problem(2, 14, 19, steps));
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    all.push_back(problem(1, 67, 45, pass + 2, 3, precision));
    all.push_back(problem(1, 2, 35, pass + 1, 2, precision));
    all.push_back(problem(3, 5, 2, 2 * pass, 2, precision));
    all.push_back(problem(1, 3, 1301, pass, 3, precision));
    all.push_back(problem(1, 31, 40, pass + 1, 2, precision));
    all.back().alpha = 0.03;
  }
  return all;
}
/// One vector per row and several.
std::vector<Problem> problems_of_lanes(int) {
  std::vector<Problem> all;
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const std::int64_t nx : {16, 48})
      for (const std::int64_t ny : {2, 3, 7, 40})
        for (const std::int64_t steps : {1, 2, 9, 16}) {
          all.push_back(problem(3, ny, nx, steps, 2, precision));
          if (steps == 9) all.back().alpha = 0.03;
        }
  return all;
}
/// For any number of points per thread.
std::vector<Problem> problems_of_registers(int) {
  std::vector<Problem> all;
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const std::int64_t steps : {1, 2, 37})
      for (const auto& [nz, ny, nx] : {std::tuple(3, 16, 16), std::tuple(2, 32, 24), std::tuple(2, 48, 32),
                                       std::tuple(1, 64, 100), std::tuple(2, 16, 30), std::tuple(1, 96, 128)})
        all.push_back(problem(nz, ny, nx, steps, 2, precision));
  return all;
}

struct Row {
  const char* name;
  std::vector<Problem> (*problems)(int first_of_tuning);
};
class SameBits : public testing::TestWithParam<Row> {};

TEST_P(SameBits, AsSingleSteps) {
  test::Tried tried;
  for (const Choice& s : test::choices({std::string(GetParam().name) + "/*"}))
    for (const Problem& p : GetParam().problems(s.tuning[0])) {
      if (!tried.can(test::why_not(s, p))) continue;
      p.precision == Precision::f32 ? expect_same_bits<float>(p, s) : expect_same_bits<double>(p, s);
    }
  tried.end();
}
INSTANTIATE_TEST_SUITE_P(Temporal, SameBits,
                         testing::Values(Row{"openmp-temporal", problems_of_passes},
                                         Row{"kokkos-temporal", problems_of_passes},
                                         Row{"openmp-plane-lanes", problems_of_lanes},
                                         Row{"kokkos-plane-registers", problems_of_registers}),
                         [](const auto& info) { return test::plain_name(info.param.name); });

TEST(LanePlane, RefusesRowsThatDoNotFillItsVectors) {
  const Choice c = test::choices({"openmp-plane-lanes"}).front();
  EXPECT_NE(test::why_not(c, problem(2, 10, 24, 3, 2, Precision::f32))
                .value_or("")
                .find("24 points do not fill vectors of 16"),
            std::string::npos);
  EXPECT_FALSE(test::why_not(c, problem(2, 10, 24, 3)));
}

/// The number of threads determines the cuts of planes.
TEST(RowPipeline, AnyNumberOfThreadsGivesTheSameBits) {
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3, 7, 64}) {
    omp_set_num_threads(threads);
    for (const char* tuning : {"3x1", "4x5", "5x8", "3x17", "4x1000"})
      for (const Problem& p : {problem(1, 23, 18, 3), problem(3, 9, 41, 4), problem(2, 2, 2, 5)})
        expect_same_bits<double>(p, test::choices({std::string("openmp-temporal/") + tuning}).front());
  }
  omp_set_num_threads(before);
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

TEST(Cost, ModelsFollowTunings) {
  const Problem p = problem(8, 64, 64, 100);
  const auto launches = [&](const std::string& name) {
    return diffusion::study().task_of(p)->model(harness::choice_of(diffusion::study(), name)).launches;
  };
  EXPECT_EQ(launches("openmp-temporal/8x1024"), 13);
  EXPECT_EQ(launches("openmp-temporal/16x1024"), 7);
  EXPECT_EQ(launches("openmp-temporal/3x16"), 34);
  for (const diffusion::Entry& e : diffusion::registry()) {
    if (e.name != "cuda-temporal-tuned" || !e.model) continue;
    EXPECT_EQ(launches("cuda-temporal-tuned/1"), 6 + 1);   // 6 of 16, one of 4
    EXPECT_EQ(launches("cuda-temporal-tuned/2"), 12 + 1);  // 12 of 8, one of 4
    Problem ragged = problem(8, 64, 63, 101);
    const auto odd = diffusion::study().task_of(ragged)->model(
        harness::choice_of(diffusion::study(), "cuda-temporal-tuned/1"));
    EXPECT_EQ(odd.launches, 2 * (6 + 1 + 1));  // each pass first extends the rows
  }
}

TEST(Cost, PassesOfEvenStepsAddUp) {
  for (const int most : {8, 16})
    for (std::int64_t steps = 1; steps < 70; ++steps) {
      const diffusion::EvenPasses cut(steps, most);
      EXPECT_EQ(cut.whole * most + cut.even * cut.even_steps + cut.odd, steps);
      EXPECT_EQ(cut.even_steps % 2, 0);
      EXPECT_LT(cut.even_steps, most);
      EXPECT_EQ(cut.even, cut.even_steps > 0 ? 1 : 0);
      EXPECT_LE(cut.odd, 1);
    }
  EXPECT_EQ(diffusion::EvenPasses(1025, 16).count(), 65);
  EXPECT_EQ(diffusion::EvenPasses(15, 16).count(), 2);
}

}  // namespace

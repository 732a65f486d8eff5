// SPDX-License-Identifier: BSD-3-Clause
// Planes whose columns are dealt out over vectors' lanes give the bits of plain loops.
#include <gtest/gtest.h>

#include "run_variant.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using runtime::Precision;

template <class T>
void expect_bits_of_plain_loops(const Problem& p, const harness::Choice& c) {
  const auto field = diffusion::random_field<T>(p);
  EXPECT_EQ(test::result_of(p, c, field),
            test::result_of(p, test::choices({"reference-loop"}).front(), field))
      << c.name() << " on " << describe(p);
}

TEST(LanePlane, GivesTheBitsOfPlainLoops) {
  int checked = 0;
  std::string reason;
  for (const char* name : {"openmp-plane-lanes/*", "kokkos-plane-lanes/*"})
    for (const harness::Choice& c : test::choices({name}))
      for (const Precision precision : {Precision::f32, Precision::f64})
        // One vector a row and several, fewer rows than a pass reaches, passes of all lengths.
        for (const std::int64_t nx : {16, 48})
          for (const std::int64_t ny : {2, 3, 7, 40})
            for (const std::int64_t steps : {1, 2, 9, 16}) {
              Problem p;
              p.nx = nx, p.ny = ny, p.nz = 3, p.steps = steps, p.precision = precision;
              p.alpha = steps == 9 ? 0.03 : 1.0 / 32;
              if (const auto why = test::why_not(c, p)) {
                reason = *why;
                continue;
              }
              precision == Precision::f32 ? expect_bits_of_plain_loops<float>(p, c)
                                          : expect_bits_of_plain_loops<double>(p, c);
              ++checked;
            }
  if (checked == 0) GTEST_SKIP() << reason;
  EXPECT_GE(checked, 160);
}

TEST(LanePlane, RefusesRowsThatDoNotFillItsVectors) {
  const harness::Choice c = test::choices({"openmp-plane-lanes"}).front();
  Problem p;
  p.nx = 24, p.ny = 10, p.nz = 2, p.steps = 3;
  EXPECT_NE(test::why_not(c, p).value_or("").find("24 points do not fill vectors of 16"), std::string::npos);
  p.precision = Precision::f64;
  EXPECT_FALSE(test::why_not(c, p));
}

}  // namespace

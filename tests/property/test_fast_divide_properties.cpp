// SPDX-License-Identifier: BSD-3-Clause
// Division by multiplication is division, for every numerator and divisor below 2^31.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "runtime/fast_divide.hpp"

namespace {

using parity::runtime::FastDivide;

/// Of any order of magnitude.
std::uint32_t random_number(std::uint32_t least) {
  const int bits = *rc::gen::inRange(1, 32);
  return least + *rc::gen::inRange<std::uint32_t>(0, (std::uint32_t(1) << bits) - least);
}

TEST(FastDivide, IsDivision) {
  EXPECT_TRUE(rc::check("quotient and remainder", [] {
    const std::uint32_t divisor = random_number(1), n = random_number(0);
    const FastDivide by{std::int64_t(divisor)};
    for (const std::uint32_t m : {n, n / divisor * divisor, n / divisor * divisor + divisor - 1}) {
      if (m >= FastDivide::limit) continue;
      RC_ASSERT(by(m) == m / divisor);
      RC_ASSERT(by.remainder(m, by(m)) == m % divisor);
    }
  }));
}

}  // namespace

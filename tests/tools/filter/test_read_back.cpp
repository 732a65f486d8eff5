// SPDX-License-Identifier: BSD-3-Clause
// Compares what is read with what was written: every bit and every position counts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tools/filter/read_back.hpp"

namespace parity::io {
namespace {

template <class T>
struct Stored {
  static constexpr std::int64_t points = 35, planes = 3;
  std::vector<T> values;
  ReadBack mind;
  Stored() {
    for (std::int64_t i = 0; i < points * planes; ++i) values.push_back(T(std::sin(double(i)) + 2));
    values[7] = T(-0.0);
    values[8] = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t k = 0; k < planes; ++k) mind.wrote(Block{{4 + k}, {1}}, &values[k * points], points);
  }
  ReadBack::Difference compare(const std::vector<T>& file) const {
    return mind.compare<T>(points, [&](const Block& b, T* to) {
      const std::size_t first = (b.start[0] - 4) * points;
      std::copy_n(file.begin() + std::ptrdiff_t(first), b.planes() * points, to);
    });
  }
};

template <class T>
class ReadBackOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ReadBackOf, Types);

TYPED_TEST(ReadBackOf, EveryBitOfEveryValue) {
  using T = TypeParam;
  const Stored<T> stored;
  EXPECT_FALSE(stored.compare(stored.values).any);
  auto same = stored.values;
  same[7] = T(0);
  same[8] = -same[8];
  EXPECT_FALSE(stored.compare(same).any) << "zeros are equal, and so are NaN";
  for (std::size_t i = 0; i < stored.values.size(); ++i)
    for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) {
      if (i == 7 || i == 8) continue;
      auto file = stored.values;
      char bytes[sizeof(T)];
      std::memcpy(bytes, &file[i], sizeof(T));
      bytes[bit / 8] = char(bytes[bit / 8] ^ (1 << bit % 8));
      std::memcpy(&file[i], bytes, sizeof(T));
      const auto d = stored.compare(file);
      ASSERT_TRUE(d.any) << i << " " << bit;
      EXPECT_GT(d.most, 0);
      EXPECT_EQ(d.block->start[0] + std::size_t(d.plane), 4 + i / 35);
      EXPECT_EQ(d.point, std::int64_t(i % 35));
    }
}

TYPED_TEST(ReadBackOf, PlacesCount) {
  const Stored<TypeParam> stored;
  for (std::size_t i = 9; i + 1 < stored.values.size(); ++i) {
    auto file = stored.values;
    std::swap(file[i], file[i + 1]);
    EXPECT_TRUE(stored.compare(file).any) << i;
  }
}

TEST(ReadBack, LargeFieldsAreReadInPart) {
  ReadBack mind;
  const std::int64_t points = 1 << 22;  // 16 MiB
  const std::vector<float> plane(points, 1.0f);
  for (std::size_t k = 0; k < 40; ++k) mind.wrote(Block{{k}, {1}}, plane.data(), points);
  std::int64_t planes = 0;
  mind.compare<float>(points, [&](const Block& b, float* to) {
    planes += b.planes();
    std::fill_n(to, b.planes() * points, 1.0f);
  });
  EXPECT_GE(planes, 8);
  EXPECT_LE(planes, 9);
}

}  // namespace
}  // namespace parity::io

// SPDX-License-Identifier: BSD-3-Clause
// Blocks of some planes of a field: each plane once, whatever the dimensions are that they are counted
// through.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "io/field_file.hpp"

namespace {

using namespace parity;

/// The planes of a block, counted through all dimensions.
void count_planes(const io::Block& b, const std::vector<std::size_t>& lengths,
                  std::vector<std::int64_t>& all) {
  for (std::int64_t k = 0; k < b.planes(); ++k) {
    std::int64_t rest = k, plane = 0, stride = 1;
    for (std::size_t d = lengths.size(); d-- > 0;) {
      plane += stride * (std::int64_t(b.start[d]) + rest % std::int64_t(b.extent[d]));
      rest /= std::int64_t(b.extent[d]);
      stride *= std::int64_t(lengths[d]);
    }
    all.push_back(plane);
  }
}

TEST(Blocks, OfSomePlanesHaveEachOfThemOnce) {
  const std::vector<std::vector<std::size_t>> shapes = {{}, {1}, {7}, {3, 4}, {2, 1, 3}, {2, 3, 4}};
  for (const auto& lengths : shapes)
    for (const std::size_t chunk : {1, 2})
      for (std::int64_t most = 1; most <= 5; ++most) {
        std::int64_t planes = 1;
        for (const std::size_t n : lengths) planes *= std::int64_t(n);
        const std::vector<std::size_t> chunks(lengths.size(), chunk);
        for (std::int64_t first = 0; first < planes; ++first)
          for (std::int64_t size = 0; first + size <= planes; ++size) {
            std::vector<std::int64_t> found, expected(static_cast<std::size_t>(size));
            for (const io::Block& b : io::blocks_of(lengths, chunks, most, {first, size})) {
              EXPECT_LE(b.planes(), most);
              count_planes(b, lengths, found);
            }
            std::sort(found.begin(), found.end());
            std::iota(expected.begin(), expected.end(), first);
            ASSERT_EQ(found, expected) << first << " of " << planes << ", most " << most;
          }
        // All of them are what one process has.
        const auto whole = io::blocks_of(lengths, chunks, most),
                   all = io::blocks_of(lengths, chunks, most, {0, planes});
        ASSERT_EQ(whole.size(), all.size());
        for (std::size_t b = 0; b < whole.size(); ++b) {
          EXPECT_EQ(whole[b].start, all[b].start);
          EXPECT_EQ(whole[b].extent, all[b].extent);
        }
      }
}

}  // namespace

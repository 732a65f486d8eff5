// SPDX-License-Identifier: BSD-3-Clause
// Samples in ascending order, each with its weight.
#pragma once
#include <parallel/algorithm>

#include <utility>
#include <vector>

#include "runtime/parallel.hpp"
#include "tools/density/sums.hpp"

namespace parity::density {

struct SortedSamples {
  Numbers x, w;

  explicit SortedSamples(const SampleSet& s) : x(s.x().size()), w(s.w().size()) {
    s.begin_stage("sort");
    const auto n = std::int64_t(x.size());
    constexpr std::int64_t piece = 1 << 16;
    const Values from = s.x(), weights = s.w();
    if (weights.empty()) {
      runtime::for_ranges(n, piece, [&](std::int64_t begin, std::int64_t end) {
        std::copy(from.begin() + begin, from.begin() + end, x.begin() + begin);
      });
      __gnu_parallel::sort(x.begin(), x.end());
      return;
    }
    // Sorts by value and weight, so that the order of equal samples does not depend on the number of threads.
    using Pair = std::pair<double, double>;
    std::vector<Pair, runtime::Untouched<Pair>> pairs(x.size());
    runtime::for_ranges(n, piece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        pairs[std::size_t(i)] = {from[std::size_t(i)], weights[std::size_t(i)]};
    });
    __gnu_parallel::sort(pairs.begin(), pairs.end());
    runtime::for_ranges(n, piece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        x[std::size_t(i)] = pairs[std::size_t(i)].first;
        w[std::size_t(i)] = pairs[std::size_t(i)].second;
      }
    });
  }
};

}  // namespace parity::density

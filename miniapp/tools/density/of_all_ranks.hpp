// SPDX-License-Identifier: BSD-3-Clause
// Collective operations on samples and points that ranks share. All ranks must call them together.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "runtime/messages.hpp"
#include "tools/density/summary.hpp"

namespace parity::density {

/// Concatenates the items of all ranks in rank order.
template <class T, class A>
std::vector<T, A> of_all_ranks(const std::vector<T, A>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T, A> all;
  const runtime::RankInfo here = runtime::rank_info();
  for (int rank = 0; rank < here.ranks; ++rank) {
    std::int64_t count = std::int64_t(mine.size());
    runtime::broadcast_bytes(rank, &count, sizeof count);
    const std::size_t before = all.size();
    all.resize(before + std::size_t(count));
    if (rank == here.rank) std::copy(mine.begin(), mine.end(), all.begin() + std::ptrdiff_t(before));
    runtime::broadcast_bytes(rank, all.data() + before, count * std::int64_t(sizeof(T)));
  }
  return all;
}

/// Element-wise sums over the ranks in rank order; every rank has equally many elements.
inline Numbers sums_over_ranks(const Numbers& mine) {
  if (!runtime::several_ranks()) return mine;
  const Numbers all = of_all_ranks(mine);
  Numbers sums(mine.size(), 0.0);
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % mine.size()] += all[i];
  return sums;
}

inline std::int64_t count_of_all_ranks(std::int64_t mine) {
  runtime::add_over_ranks(&mine, 1);
  return mine;
}

/// Index of this rank's first item among all ranks' items.
inline std::int64_t first_of_this_rank(std::int64_t mine) {
  const std::vector<std::int64_t> counts = of_all_ranks(std::vector<std::int64_t>{mine});
  return std::accumulate(counts.begin(), counts.begin() + runtime::rank_info().rank, std::int64_t(0));
}

/// Range of all ranks' values; some ranks may have none.
inline Range range_of_all_ranks(Values mine) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const Range own = mine.empty() ? Range{none, -none} : range_of(mine);
  return {runtime::smallest(own.least), runtime::largest(own.greatest)};
}

}  // namespace parity::density

// SPDX-License-Identifier: BSD-3-Clause
// Division of n items among ranks, teams and threads.
#pragma once
#include <algorithm>
#include <cstdint>

#include "host_device.hpp"

namespace parity::runtime {

/// A contiguous range of items.
struct Share {
  std::int64_t first = 0, size = 0;
};

/// The index-th of 'ranks' shares of n items; sizes differ by one at most.
inline Share share_of(std::int64_t n, std::int64_t ranks, std::int64_t index) {
  const std::int64_t least = n / ranks, more = n % ranks;
  return {index * least + std::min(index, more), least + (index < more ? 1 : 0)};
}

/// The same for groups of 'unit' items that stay together; the last group may be smaller.
inline Share share_of_units(std::int64_t n, std::int64_t unit, std::int64_t ranks, std::int64_t index) {
  const Share units = share_of((n + unit - 1) / unit, ranks, index);
  const std::int64_t first = std::min(n, units.first * unit);
  return {first, std::min(n, (units.first + units.size) * unit) - first};
}

/// Part q of n items spread evenly over 'parts' parts; smaller parts lie between larger ones.
struct EvenShare {
  int first, size;
  PARITY_INLINE EvenShare(int q, int n, int parts)
      : first(int((long long)(q)*n / parts)), size(int((long long)(q + 1) * n / parts) - first) {}
};

}  // namespace parity::runtime

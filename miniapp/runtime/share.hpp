// SPDX-License-Identifier: BSD-3-Clause
// How ranks, teams and threads share what is counted.
#pragma once
#include <algorithm>
#include <cstdint>

#include "host_device.hpp"

namespace parity::runtime {

/// Some of a row of things.
struct Share {
  std::int64_t first = 0, size = 0;
};

/// The index-th of 'ranks' shares of n things: they differ by one at most.
inline Share share_of(std::int64_t n, std::int64_t ranks, std::int64_t index) {
  const std::int64_t least = n / ranks, more = n % ranks;
  return {index * least + std::min(index, more), least + (index < more ? 1 : 0)};
}

/// The same where groups of 'unit' things stay together; the last group may be smaller.
inline Share share_of_units(std::int64_t n, std::int64_t unit, std::int64_t ranks, std::int64_t index) {
  const Share units = share_of((n + unit - 1) / unit, ranks, index);
  const std::int64_t first = std::min(n, units.first * unit);
  return {first, std::min(n, (units.first + units.size) * unit) - first};
}

/// Part q of n that are spread evenly over so many parts, in which smaller ones lie between larger ones.
struct EvenShare {
  int first, size;
  PARITY_INLINE EvenShare(int q, int n, int parts)
      : first(int((long long)(q)*n / parts)), size(int((long long)(q + 1) * n / parts) - first) {}
};

}  // namespace parity::runtime

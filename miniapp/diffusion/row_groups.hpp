// SPDX-License-Identifier: BSD-3-Clause
// How a host's threads share the rows of a field.
#pragma once
#include <algorithm>
#include <cstdint>

#include "host_device.hpp"
#include "runtime/fast_divide.hpp"

namespace parity::diffusion {

PARITY_INLINE std::int64_t ceil_divide(std::int64_t n, std::int64_t d) { return (n + d - 1) / d; }

/// Neighbouring rows of one plane that a host's thread takes together: 8, or as many fewer as it takes to
/// have four groups for each thread, where there are rows for that.
class RowGroups {
 public:
  RowGroups(std::int64_t planes, std::int64_t height, int threads)
      : height_(int(height)),
        rows_(int(std::clamp<std::int64_t>(planes * height / (4 * std::int64_t(threads)), 1, 8))),
        by_groups_(ceil_divide(height, rows_)),
        count_(planes * by_groups_.divisor()) {}

  int rows() const { return rows_; }
  /// Of all planes.
  std::int64_t count() const { return count_; }

  struct Group {
    int plane, first, last;  ///< rows first ... last-1 of the plane
  };
  PARITY_INLINE Group operator()(int n) const {
    const unsigned k = by_groups_(unsigned(n));
    const int first = int(by_groups_.remainder(unsigned(n), k)) * rows_;
    return {int(k), first, first + rows_ < height_ ? first + rows_ : height_};
  }

 private:
  int height_, rows_;
  runtime::FastDivide by_groups_;
  std::int64_t count_;
};

/// The most of n pieces that one of 'threads' threads gets where they are shared out evenly.
inline int even_chunk(std::int64_t n, int threads) {
  return int(std::max<std::int64_t>(1, ceil_divide(n, threads)));
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// split: the original work's unfinished idea (variants/ORIGINAL_WORKS.md, section 1.2): a 2-D grid over
// queries and chunks of samples, so that few queries fill a device too; partial sums are written out, and a
// second kernel adds the chunks in order. n^2 exponentials, 7 n^2 operations, two launches, 8 n bytes a
// chunk. At most 64 chunks. The variants split_atomic, split_ticket and split_cluster bring the chunks
// together otherwise.
#pragma once
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"

namespace parity::kde {

namespace split {
/// The tuning is the number of chunks.
inline Entry algorithm() {
  Entry e;
  e.tunings = {"16", "4", "8", "32"};
  e.tuning_axes = "chunks of samples";
  e.captured = true;
  e.launches = 2;
  return e;
}
}  // namespace split

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// split: the original work's unfinished idea (variants/ORIGINAL_WORKS.md, section 1.2): a 2-D grid over
// queries and chunks of samples, so that few queries fill a device too; partial sums are written out, and a
// second kernel adds the chunks in order. n^2 exponentials, 7 n^2 operations, two launches, 8 n bytes a
// chunk. At most 64 chunks.
#pragma once
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"

namespace parity::kde::split {

inline std::optional<std::string> refuse_many_chunks(const Problem&, const Tuning& chunks) {
  if (chunks[0] > 64) return "at most 64 chunks, so that the partial sums stay small";
  return std::nullopt;
}
inline Entry algorithm() {
  Entry e;
  e.tunings = {"16", "4", "8", "32"};
  e.tuning_axes = "chunks of samples";
  e.captured = true;
  e.launches = 2;
  e.extra_bytes = [](const Problem& p) { return 8.0 * 64 * double(p.n); };
  e.refuse += refuse_many_chunks;
  return e;
}

}  // namespace parity::kde::split

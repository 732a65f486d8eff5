// SPDX-License-Identifier: BSD-3-Clause
// split: distributes queries and chunks of samples over a 2-D grid, so that few queries fill a device, too.
// Each thread writes its partial sum, and a second kernel adds the chunks in order. DeRosa did not finish
// this idea (section 6 of that work, variants/ORIGINAL_WORKS.md): there, a block had several threads per
// query and added their sums itself. n^2 exponentials, 7 n^2 operations, two launches, up to 64 chunks of
// at most 8 n bytes. First versions have one running sum per chunk in the data's precision; the others flush
// sums of 256 terms to double.
#pragma once
#include "kde/refusals.hpp"
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

/// One running sum per chunk: it adds no more terms than one sum of all samples, whose bound applies.
inline Entry plain_algorithm() {
  Entry e = algorithm();
  e.accuracy = Accuracy::plain_sum;
  e.refuse += refuse_running_sum;
  return e;
}

}  // namespace parity::kde::split

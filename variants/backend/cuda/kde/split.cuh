// SPDX-License-Identifier: BSD-3-Clause
// The original work's unfinished idea: a 2-D grid over (query tile, sample chunk), one query a thread; the
// variants bring the chunks' sums together in different ways.
#pragma once
#include "backend/cuda/kde/chunks.cuh"
#include "kde/refusals.hpp"

namespace parity::cuda {

constexpr int split_threads = 256;

/// The sum of one query over the chunk of its block.
template <class T, class Term>
__device__ __forceinline__ double chunk_total(const T* __restrict__ samples, Term term, const Split& split,
                                              std::int64_t query, std::int64_t n) {
  __shared__ double table[Term::table_size > 0 ? Term::table_size : 1];
  const int chunk = int(blockIdx.y);
  term.bind(table, int(threadIdx.x), split_threads);
  const T q[1] = {samples[query < n ? query : n - 1]};
  double total[1] = {0};
  add_chunk<8, 1>(term, q, samples, split.first(chunk), split.last(chunk), split_threads, total);
  return total[0];
}

/// With the memory and the limits of chunks, whose number is the tuning.
inline Entry with_chunks(Entry e) {
  if (e.tunings.empty()) e.tunings = {"16", "4", "8", "32"};
  e.tuning_axes = "chunks of samples";
  e.extra_bytes = [](const Problem& p) { return 8.0 * 64 * (double(p.n) + split_threads); };
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] > 64) return "at most 64 chunks, so that the partial sums stay small";
    return std::nullopt;
  };
  return e;
}

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The original work's unfinished idea: a 2-D grid over (query tile, sample chunk), one query a thread, and
// the ways to bring the chunks' sums together.
#pragma once
#include "backend/cuda/kde/register_tile.cuh"

namespace parity::cuda {

constexpr int split_threads = 256;

/// A block's sums of its queries over its chunk. Returns the thread's total; its query is
/// blockIdx.x * split_threads + threadIdx.x.
template <class T, class Term>
__device__ double chunk_total(const T* __restrict__ samples, Term term, const Split& split, std::int64_t n) {
  __shared__ Pack<T> stage[stage_packs];
  __shared__ double table[Term::table_size > 0 ? Term::table_size : 1];
  const int tile = int(blockIdx.x), chunk = int(blockIdx.y), thread = int(threadIdx.x);
  term.bind(table, thread, split_threads);
  T q[1];
  double total[1] = {0};
  load_queries(samples, n, tile, thread, split_threads, q);
  add_staged<8, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), split.first(chunk), split.last(chunk),
                   stage, thread, split_threads, BlockBarrier(), total);
  return total[0];
}

inline dim3 grid_of(const Split& split) { return dim3(unsigned(split.tiles), unsigned(split.chunks)); }

/// The tuning is the number of chunks.
inline Entry split_entry(double launches) {
  Entry e;
  e.tunings = {"16", "4", "8", "32"};
  e.tuning_axes = "chunks of samples";
  e.launches = launches;
  e.extra_bytes = [](const Problem& p) { return 8.0 * 64 * (double(p.n) + split_threads); };
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] > 64) return "at most 64 chunks, so that the partial sums stay small";
    return std::nullopt;
  };
  return e;
}

}  // namespace parity::cuda

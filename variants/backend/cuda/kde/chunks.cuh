// SPDX-License-Identifier: BSD-3-Clause
// Sums over chunks of samples, and the second pass over the chunks' sums: what split sums and the ring share.
#pragma once
#include "backend/cuda/kde/samples.cuh"
#include "kde/refusals.hpp"

namespace parity::cuda {

/// Adds the terms of the packs [first, last), staged through shared memory by all threads of a block, to the
/// totals of a thread's R queries: doubles, or ExactSums.
template <int Unroll, int R, class T, class Term, class Total>
__device__ __forceinline__ void add_chunk(const Term& term, const T (&q)[R], const T* samples, int first,
                                          int last, int threads, Total (&total)[R]) {
  __shared__ Pack<T> stage[stage_packs];
  const int thread = int(threadIdx.x);
  for (int at = first; at < last; at += stage_packs) {
    const int count = last - at < stage_packs ? last - at : stage_packs;
    __syncthreads();
    for (int k = thread; k < count; k += threads)
      stage[k] = reinterpret_cast<const Pack<T>*>(samples)[at + k];
    __syncthreads();
    for (int flush = 0; flush < count; flush += flush_packs) {
      T sum[R] = {};
#pragma unroll Unroll
      for (int k = 0; k < flush_packs; ++k) add_pack(term, q, stage[flush + k], sum);
#pragma unroll
      for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
    }
  }
}

template <class Into>
__global__ void second_pass(Into sink, int chunks) {
  const std::int64_t query = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (query < sink.n) sink.finish(chunks, query);
}

inline dim3 grid_of(const Split& split) { return dim3(unsigned(split.tiles), unsigned(split.chunks)); }

/// The bytes of partial sums that split_for allows.
inline double partial_bytes(const Problem& p) {
  return std::max(8.0 * double(p.n), double(std::int64_t(64) << 20));
}

// The original work's unfinished idea: a 2-D grid over (query tile, sample chunk), one query a thread; the
// variants bring the chunks' sums together in different ways.

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

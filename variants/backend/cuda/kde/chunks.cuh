// SPDX-License-Identifier: BSD-3-Clause
// Sums over chunks of samples, and the second pass over the chunks' sums, for split sums and the ring.
#pragma once
#include "backend/cuda/kde/samples.cuh"

namespace parity::cuda {

/// Adds the terms of the packs [first, last) to the totals (double or ExactSum) of a thread's R queries. All
/// threads of a block stage the packs in shared memory.
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

/// Limit on the bytes of partial sums for split_for.
inline double partial_bytes(const Problem& p) {
  return std::max(8.0 * double(p.n), double(std::int64_t(64) << 20));
}

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// R queries of a thread in registers against chunks of samples in shared memory, and the second pass over the
// chunks' sums: what most native direct sums are made of.
#pragma once
#include "backend/cuda/kde/samples.cuh"
#include "kde/refusals.hpp"

namespace parity::cuda {

struct BlockBarrier {
  PARITY_INLINE void operator()() const {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
};

template <class T, int R, class Term, int threads, int least_blocks, int unroll, class Into = Sink<T>>
__global__ void __launch_bounds__(threads, least_blocks)
    register_tile(const T* __restrict__ queries, const T* __restrict__ samples, Term term, Split split,
                  Into sink) {
  __shared__ Pack<T> stage[stage_packs];
  __shared__ double table[Term::table_size > 0 ? Term::table_size : 1];
  const int tile = int(blockIdx.x), chunk = int(blockIdx.y), thread = int(threadIdx.x);
  term.bind(table, thread, threads);  // the staging loop synchronises
  T q[R];
  typename Into::Total total[R] = {};
  load_queries(queries, sink.n, tile, thread, threads, q);
  add_staged<unroll, R>(term, q, reinterpret_cast<const Pack<T>*>(samples), split.first(chunk),
                        split.last(chunk), stage, thread, threads, BlockBarrier(), total);
#pragma unroll
  for (int r = 0; r < R; ++r) sink.put(chunk, query_of(tile, r, thread, threads, R), total[r]);
}

template <class Into>
__global__ void second_pass(Into sink, int chunks) {
  const std::int64_t query = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (query < sink.n) sink.finish(chunks, query);
}

/// Launches a register tile and, where there are several chunks, the second pass.
template <class T, int R, class Term, int threads, int least_blocks, int unroll>
struct RegisterTile {
  static constexpr auto kernel = register_tile<T, R, Term, threads, least_blocks, unroll>;
  Samples<T> s;
  Split split;
  Buffer<double> partial;
  RegisterTile(const Problem& p, const Tuning&)
      : s(p),
        split(split_for(
            p.n, R * threads,
            std::int64_t(s.blocks_resident(kernel, threads)) * attribute(cudaDevAttrMultiProcessorCount))),
        partial(split.chunks * p.n) {}
  void operator()() const {
    const Sink<T> sink = s.sink(split.chunks > 1 ? partial.data() : nullptr);
    kernel<<<dim3(unsigned(split.tiles), unsigned(split.chunks)), threads, 0, s.stream>>>(
        s.data(), s.data(), Term(s.p.bandwidth), split, sink);
    if (split.chunks > 1) second_pass<<<blocks_for(s.p.n, 256), 256, 0, s.stream>>>(sink, split.chunks);
    PARITY_CUDA(cudaGetLastError());
  }
};

/// The bytes of partial sums that split_for allows.
inline double partial_bytes(const Problem& p) {
  return std::max(8.0 * double(p.n), double(std::int64_t(64) << 20));
}

}  // namespace parity::cuda

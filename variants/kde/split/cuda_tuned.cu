// SPDX-License-Identifier: BSD-3-Clause
// split, CUDA, tuned: one block per tile of queries and chunk of samples writes its sums; a second kernel
// adds the chunks.
#include "algorithm.hpp"
#include "backend/cuda/kde/chunks.cuh"

namespace parity::kde::split {
namespace {

using namespace parity::cuda;

constexpr int split_threads = 256;

template <class T>
__global__ void __launch_bounds__(split_threads)
    split_pass(const T* __restrict__ samples, HardwareTerm<T> term, Split split, Sink<T> sink) {
  using Term = HardwareTerm<T>;
  __shared__ double table[Term::table_size > 0 ? Term::table_size : 1];
  term.bind(table, int(threadIdx.x), split_threads);
  const std::int64_t query = std::int64_t(blockIdx.x) * split_threads + threadIdx.x;
  const int chunk = int(blockIdx.y);
  const T q[1] = {samples[query < sink.n ? query : sink.n - 1]};
  double total[1] = {0};
  add_chunk<8, 1>(term, q, samples, split.first(chunk), split.last(chunk), split_threads, total);
  sink.put(chunk, query, total[0]);
}

template <class T>
struct SplitSum {
  Samples<T> s;
  Split split;
  Buffer<double> partial;
  SplitSum(const Problem& p, const Tuning& t)
      : s(p), split(split_into(p.n, split_threads, t[0])), partial(split.chunks * p.n) {
    s.blocks_resident(split_pass<T>, split_threads);
  }
  void operator()() const {
    const Sink<T> sink = s.sink(partial.data());
    split_pass<T><<<grid_of(split), split_threads, 0, s.stream>>>(s.data(), HardwareTerm<T>(s.p.bandwidth),
                                                                  split, sink);
    second_pass<<<blocks_for(s.p.n, 128), 128, 0, s.stream>>>(sink, split.chunks);
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace

Entry cuda_tuned() { return with_sum<SplitSum>(algorithm()); }

}  // namespace parity::kde::split

// SPDX-License-Identifier: BSD-3-Clause
// split_ticket, CUDA: one kernel; of the blocks of a query tile the one that finishes last adds the
// chunks' sums, in order, so that the result is bitwise repeatable.
#include "backend/cuda/kde/split.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(split_threads)
    ticket_pass(const T* __restrict__ samples, HardwareTerm<T> term, Split split, Sink<T> sink,
                int* tickets) {
  __shared__ bool last;
  const std::int64_t query = std::int64_t(blockIdx.x) * split_threads + threadIdx.x;
  const double total = chunk_total(samples, term, split, query, sink.n);
  sink.put(int(blockIdx.y), query, total);
  __syncthreads();
  if (threadIdx.x == 0) {
    // One thread's fences order what the others wrote before the block's barrier, too.
    __threadfence();
    last = atomicAdd(&tickets[blockIdx.x], 1) == int(gridDim.y) - 1;
    if (last) tickets[blockIdx.x] = 0;  // ready for the next run
    __threadfence();
  }
  __syncthreads();
  if (!last || query >= sink.n) return;
  double sum = 0;
#pragma unroll 8
  for (int c = 0; c < int(gridDim.y); ++c) sum += __ldcg(&sink.partial[c * sink.n + query]);
  sink.density[query] = T(sum * sink.norm);
}

template <class T>
struct SplitTicket {
  Samples<T> s;
  Split split;
  Buffer<double> partial;
  Buffer<int> tickets;
  SplitTicket(const Problem& p, const Tuning& t)
      : s(p), split(split_into(p.n, split_threads, t[0])), partial(split.chunks * p.n), tickets(split.tiles) {
    s.blocks_resident(ticket_pass<T>, split_threads);
    PARITY_CUDA(cudaMemsetAsync(tickets.data(), 0, tickets.bytes(), s.stream));
    s.synchronise();
  }
  void operator()() const {
    ticket_pass<T><<<grid_of(split), split_threads, 0, s.stream>>>(
        s.data(), HardwareTerm<T>(s.p.bandwidth), split, s.sink(partial.data()), tickets.data());
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde::split_ticket {

Entry cuda() {
  Entry e = cuda::with_chunks(Entry());
  e.tunings = {"16", "8", "4", "32"};
  e.captured = true;
  return cuda::with_sum<cuda::SplitTicket>(e);
}

}  // namespace parity::kde::split_ticket

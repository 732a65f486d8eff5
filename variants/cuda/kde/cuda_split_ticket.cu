// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-ticket: one kernel; of the blocks of a query tile the one that finishes last adds the
// chunks' sums, in order, so that the result is bitwise repeatable.
#include "split.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(split_threads)
    ticket_pass(const T* __restrict__ samples, HardwareTerm<T> term, Split split, Sink<T> sink,
                int* tickets) {
  __shared__ bool last;
  const double total = chunk_total(samples, term, split, sink.n);
  const std::int64_t query = std::int64_t(blockIdx.x) * split_threads + threadIdx.x;
  sink.put(int(blockIdx.y), query, total);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(&tickets[blockIdx.x], 1) == int(gridDim.y) - 1;
    if (last) tickets[blockIdx.x] = 0;  // ready for the next run
  }
  __syncthreads();
  if (!last || query >= sink.n) return;
  __threadfence();
  double sum = 0;
#pragma unroll 8
  for (int c = 0; c < int(gridDim.y); ++c) sum += __ldcg(&sink.partial[c * sink.n + query]);
  sink.density[query] = T(sum * sink.norm);
}

template <class T>
class SplitTicket : public SplitSum<T> {
 public:
  SplitTicket(const Problem& p, const Tuning& t)
      : SplitSum<T>(p, t), partial_(this->split_.chunks * p.n), tickets_(this->split_.tiles) {
    this->blocks_resident(ticket_pass<T>, split_threads);
    PARITY_CUDA(cudaMemset(tickets_.data(), 0, tickets_.bytes()));
  }
  void advance() override {
    const Sink<T> sink{this->density_.data(), partial_.data(), this->p_.n, this->p_.norm()};
    ticket_pass<T><<<this->grid_, split_threads, 0, this->stream_>>>(
        this->samples_.data(), HardwareTerm<T>(this->p_.bandwidth), this->split_, sink, tickets_.data());
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  Buffer<double> partial_;
  Buffer<int> tickets_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_split_ticket() {
  Entry e = cuda::split_entry(1);
  e.tunings = {"8", "4", "16", "32"};
  return with_factories<cuda::SplitTicket>(e);
}

}  // namespace parity::kde

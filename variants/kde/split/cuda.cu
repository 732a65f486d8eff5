// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-two-pass: (query tile, sample chunk) blocks, chunks' sums written out and added by a second
// kernel. Twin of kokkos-split.
#include "backend/cuda/kde/split.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(split_threads)
    first_pass(const T* __restrict__ samples, HardwareTerm<T> term, Split split, Sink<T> sink) {
  const double total = chunk_total(samples, term, split, sink.n);
  sink.put(int(blockIdx.y), std::int64_t(blockIdx.x) * split_threads + threadIdx.x, total);
}

template <class T>
struct TwoPass {
  Samples<T> s;
  Split split;
  Buffer<double> partial;
  TwoPass(const Problem& p, const Tuning& t)
      : s(p), split(split_into(p.n, split_threads, t[0])), partial(split.chunks * p.n) {
    s.blocks_resident(first_pass<T>, split_threads);
  }
  void operator()() const {
    const Sink<T> sink = s.sink(partial.data());
    first_pass<T><<<grid_of(split), split_threads, 0, s.stream>>>(s.data(), HardwareTerm<T>(s.p.bandwidth),
                                                                  split, sink);
    second_pass<<<blocks_for(s.p.n, 128), 128, 0, s.stream>>>(sink, split.chunks);
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry split_cuda() {
  Entry e = cuda::split_entry(2);
  e.captured = true;
  return cuda::with_sum<cuda::TwoPass>(e);
}

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// split_atomic, CUDA: chunks' sums added to memory by atomic operations in double; not bitwise repeatable.
#include "backend/cuda/kde/split.cuh"

namespace parity::cuda {
namespace {

/// Devices before compute capability 6.0 have no such instruction; they are not supported.
template <class T>
__global__ void __launch_bounds__(split_threads)
    atomic_pass(const T* __restrict__ samples, HardwareTerm<T> term, Split split, double* sums,
                std::int64_t n) {
  const std::int64_t query = std::int64_t(blockIdx.x) * split_threads + threadIdx.x;
  const double total = chunk_total(samples, term, split, query, n);
  if (query < n) atomicAdd(&sums[query], total);
}

template <class T>
struct SplitAtomic {
  Samples<T> s;
  Split split;
  Buffer<double> sums;
  SplitAtomic(const Problem& p, const Tuning& t)
      : s(p), split(split_into(p.n, split_threads, t[0])), sums(p.n) {
    s.blocks_resident(atomic_pass<T>, split_threads);
  }
  void operator()() const {
    PARITY_CUDA(cudaMemsetAsync(sums.data(), 0, sums.bytes(), s.stream));
    atomic_pass<T><<<grid_of(split), split_threads, 0, s.stream>>>(s.data(), HardwareTerm<T>(s.p.bandwidth),
                                                                   split, sums.data(), s.p.n);
    second_pass<<<blocks_for(s.p.n, 128), 128, 0, s.stream>>>(s.sink(sums.data()), 1);
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde::split_atomic {

Entry cuda() {
  Entry e = cuda::with_chunks(Entry());
  e.launches = 3;
  return cuda::with_sum<cuda::SplitAtomic>(e);
}

}  // namespace parity::kde::split_atomic

// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-atomic: chunks' sums added to memory by atomic operations in double; not bitwise repeatable.
#include "split.cuh"

namespace parity::cuda {
namespace {

/// Devices before compute capability 6.0 have no such instruction; they are not supported.
template <class T>
__global__ void __launch_bounds__(split_threads)
    atomic_pass(const T* __restrict__ samples, HardwareTerm<T> term, Split split, double* sums,
                std::int64_t n) {
  const double total = chunk_total(samples, term, split, n);
  const std::int64_t query = std::int64_t(blockIdx.x) * split_threads + threadIdx.x;
  if (query < n) atomicAdd(&sums[query], total);
}

template <class T>
class SplitAtomic : public SplitSum<T> {
 public:
  SplitAtomic(const Problem& p, const Tuning& t) : SplitSum<T>(p, t), sums_(p.n) {
    this->blocks_resident(atomic_pass<T>, split_threads);
  }
  void advance() override {
    PARITY_CUDA(cudaMemsetAsync(sums_.data(), 0, sums_.bytes(), this->stream_));
    atomic_pass<T><<<this->grid_, split_threads, 0, this->stream_>>>(
        this->samples_.data(), HardwareTerm<T>(this->p_.bandwidth), this->split_, sums_.data(), this->p_.n);
    second_pass<<<blocks_for(this->p_.n, 128), 128, 0, this->stream_>>>(
        Sink<T>{this->density_.data(), sums_.data(), this->p_.n, this->p_.norm()}, 1);
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  Buffer<double> sums_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_split_atomic() { return with_factories<cuda::SplitAtomic>(cuda::split_entry(3)); }

}  // namespace parity::kde

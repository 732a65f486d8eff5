// SPDX-License-Identifier: BSD-3-Clause
// Chunks' sums written out and added by a second kernel.
#pragma once
#include "split.cuh"

namespace parity::cuda {

template <class T>
__global__ void __launch_bounds__(split_threads)
    first_pass(const T* __restrict__ samples, HardwareTerm<T> term, Split split, Sink<T> sink) {
  const double total = chunk_total(samples, term, split, sink.n);
  sink.put(int(blockIdx.y), std::int64_t(blockIdx.x) * split_threads + threadIdx.x, total);
}

template <class T>
class TwoPass : public SplitSum<T> {
 public:
  TwoPass(const Problem& p, const Tuning& t) : SplitSum<T>(p, t), partial_(this->split_.chunks * p.n) {
    this->blocks_resident(first_pass<T>, split_threads);
  }
  void advance() override {
    const Sink<T> sink{this->density_.data(), partial_.data(), this->p_.n, this->p_.norm()};
    first_pass<T><<<this->grid_, split_threads, 0, this->stream_>>>(
        this->samples_.data(), HardwareTerm<T>(this->p_.bandwidth), this->split_, sink);
    second_pass<<<blocks_for(this->p_.n, 128), 128, 0, this->stream_>>>(sink, this->split_.chunks);
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  Buffer<double> partial_;
};

}  // namespace parity::cuda

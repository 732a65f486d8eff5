// SPDX-License-Identifier: BSD-3-Clause
// The study's kernel (section 1.2), once as printed and once with its defects of meaning mended; those of
// speed stay: y is read and written in memory for every pair, and every pair divides.
#pragma once
#include "cuda_samples.cuh"
#include "kde/refusals.hpp"

namespace parity::cuda {

template <class T>
__device__ T study_gaussian(T x) {
  return (1 / (sqrt(T(2 * M_PI)))) * exp(-(x * x) / 2);
}

/// Divisor: int as printed, or the data's type; Datum: int as printed, or the data's type.
template <class T, class Divisor, class Datum>
__global__ void study_kernel(const T* x, T* y, int n, Divisor h, T k) {
  const int i = int(blockDim.x * blockIdx.x + threadIdx.x);
  if (i >= n) return;
  const T xi = x[i];
  for (int j = 0; j < n; ++j) {
    const Datum xj = Datum(x[j]);
    y[i] += study_gaussian<T>((xi - xj) / h) * k;
  }
}

/// The study's block width as the tuning. AsPrinted: integer bandwidth and data, no factor.
template <class T, bool AsPrinted>
class StudySum : public CudaSamples<T> {
 public:
  StudySum(const Problem& p, const Tuning& t) : CudaSamples<T>(p), width_(t[0]) {
    if constexpr (AsPrinted)
      this->blocks_resident(study_kernel<T, int, int>, width_);
    else
      this->blocks_resident(study_kernel<T, T, T>, width_);
  }
  void load(const T* samples) override {
    CudaSamples<T>::load(samples);
    // The study never zeroed y; what it found there is not known.
    PARITY_CUDA(cudaMemsetAsync(this->density_.data(), 0, this->density_.bytes(), this->stream_));
  }
  void advance() override {
    const Problem& p = this->p_;
    const unsigned blocks = blocks_for(p.n, width_);
    if constexpr (AsPrinted)
      study_kernel<T, int, int><<<blocks, unsigned(width_), 0, this->stream_>>>(
          this->samples_.data(), this->density_.data(), int(p.n), int(p.bandwidth), T(1));
    else
      study_kernel<T, T, T><<<blocks, unsigned(width_), 0, this->stream_>>>(
          this->samples_.data(), this->density_.data(), int(p.n), T(p.bandwidth),
          T(1 / (double(p.n) * p.bandwidth)));
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  int width_;
};

inline Entry block_width_entry() {
  Entry e;
  e.tunings = {"256", "2", "4", "8", "16", "32", "64", "128", "512", "1024"};
  e.tuning_axes = "block width";
  e.block_width = true;
  e.refuse = refuse_wide_blocks;
  return e;
}

}  // namespace parity::cuda

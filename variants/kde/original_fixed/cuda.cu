// SPDX-License-Identifier: BSD-3-Clause
// original_fixed, CUDA: runs DeRosa's kernel (its section 1.2, variants/ORIGINAL_WORKS.md) with the intended
// bandwidth, data and factor. Memory access, division and rounding are as printed: every pair reads and
// writes y and divides.
#include "backend/cuda/kde/samples.cuh"
#include "kde/refusals.hpp"

namespace parity::kde::original_fixed {
namespace {

using namespace parity::cuda;

template <class T>
__device__ T gaussian_fixed(T x) {
  return (1 / (sqrt(T(2 * M_PI)))) * exp(-(x * x) / 2);
}

template <class T>
__global__ void original_fixed(const T* x, T* y, int n, T h, T k) {
  const int i = int(blockDim.x * blockIdx.x + threadIdx.x);
  if (i >= n) return;
  const T xi = x[i];
  for (int j = 0; j < n; ++j) y[i] += gaussian_fixed<T>((xi - x[j]) / h) * k;
}

/// The tuning is the original work's block width.
template <class T>
struct OriginalFixed {
  Samples<T> s;
  int width;
  OriginalFixed(const Problem& p, const Tuning& t) : s(p), width(t[0]) {
    s.blocks_resident(original_fixed<T>, width);
    s.density_begin = T(0);  // the original never zeroed y, so its initial values are not known
  }
  void operator()() const {
    const Problem& p = s.p;
    original_fixed<T><<<blocks_for(p.n, width), unsigned(width), 0, s.stream>>>(
        s.data(), s.density(), int(p.n), T(p.bandwidth), T(1 / (double(p.n) * p.bandwidth)));
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace

Entry cuda() {
  Entry e;
  e.accuracy = Accuracy::plain_sum;
  e.refuse += refuse_running_sum;
  return with_sum<OriginalFixed>(with_block_widths(e));
}

}  // namespace parity::kde::original_fixed

// SPDX-License-Identifier: BSD-3-Clause
// original_verbatim, CUDA: DeRosa's kernel as printed (variants/ORIGINAL_WORKS.md, section 1.2). It computes
// something else: the bandwidth 0.01 becomes the integer 0, the data lose their fractions, the factor k is
// not applied.
#include "backend/cuda/kde/samples.cuh"
#include "kde/as_printed.hpp"

namespace parity::cuda {
namespace {

template <class T>
__device__ T gaussian_verbatim(T x) {
  return (1 / (sqrt(T(2 * M_PI)))) * exp(-(x * x) / 2);
}

template <class T>
__global__ void original_verbatim(const T* x, T* y, int n, int h, T k) {
  const int i = int(blockDim.x * blockIdx.x + threadIdx.x);
  if (i >= n) return;
  const T xi = x[i];
  for (int j = 0; j < n; ++j) {
    const int xj = int(x[j]);
    y[i] += gaussian_verbatim<T>((xi - xj) / h) * k;
  }
}

/// The tuning is the original work's block width.
template <class T>
struct OriginalVerbatim {
  Samples<T> s;
  int width;
  OriginalVerbatim(const Problem& p, const Tuning& t) : s(p), width(t[0]) {
    s.blocks_resident(original_verbatim<T>, width);
    s.density_begin = density_start<T>;  // the original never zeroed y; what it found there is not known
  }
  void operator()() const {
    const Problem& p = s.p;
    original_verbatim<T><<<blocks_for(p.n, width), unsigned(width), 0, s.stream>>>(
        s.data(), s.density(), int(p.n), int(p.bandwidth), T(1));
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde::original_verbatim {

Entry cuda() {
  Entry e;
  e.accuracy = Accuracy::something_else;
  e.refuse = refuse_as_printed;
  return cuda::with_sum<cuda::OriginalVerbatim>(cuda::with_block_widths(e));
}

}  // namespace parity::kde::original_verbatim

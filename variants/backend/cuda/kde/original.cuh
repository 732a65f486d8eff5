// SPDX-License-Identifier: BSD-3-Clause
// The original kernel (its work's section 1.2), once as printed and once with its defects of meaning mended;
// those of speed stay: y is read and written in memory for every pair, and every pair divides.
#pragma once
#include <type_traits>

#include "backend/cuda/kde/samples.cuh"
#include "kde/as_printed.hpp"
#include "kde/refusals.hpp"

namespace parity::cuda {

template <class T>
__device__ T original_gaussian(T x) {
  return (1 / (sqrt(T(2 * M_PI)))) * exp(-(x * x) / 2);
}

/// Divisor: int as printed, or the data's type; Datum: int as printed, or the data's type.
template <class T, class Divisor, class Datum>
__global__ void original_kernel(const T* x, T* y, int n, Divisor h, T k) {
  const int i = int(blockDim.x * blockIdx.x + threadIdx.x);
  if (i >= n) return;
  const T xi = x[i];
  for (int j = 0; j < n; ++j) {
    const Datum xj = Datum(x[j]);
    y[i] += original_gaussian<T>((xi - xj) / h) * k;
  }
}

/// The original work's block width as the tuning. as_printed: integer bandwidth and data, no factor.
template <class T, bool as_printed>
struct Original {
  using Whole = std::conditional_t<as_printed, int, T>;
  static constexpr auto kernel = original_kernel<T, Whole, Whole>;
  Samples<T> s;
  int width;
  Original(const Problem& p, const Tuning& t) : s(p), width(t[0]) {
    s.blocks_resident(kernel, width);
    s.density_begin = density_start<T>;  // the original never zeroed y; what it found there is not known
  }
  void operator()() const {
    const Problem& p = s.p;
    kernel<<<blocks_for(p.n, width), unsigned(width), 0, s.stream>>>(
        s.data(), s.density(), int(p.n), Whole(p.bandwidth),
        as_printed ? T(1) : T(1 / (double(p.n) * p.bandwidth)));
    PARITY_CUDA(cudaGetLastError());
  }
};

inline Entry block_width_entry() {
  Entry e;
  e.tunings = {"256", "2", "4", "8", "16", "32", "64", "128", "512", "1024"};
  e.tuning_axes = "block width";
  e.tuning_option = block_width_option;
  e.refuse = refuse_wide_blocks;
  return e;
}

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// fused_1d, CUDA, tuned: a thread updates several rows of a column; the host prepares the divisions.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/tuned.cuh"

namespace parity::diffusion::fused_1d {
namespace {

using namespace parity::cuda;

template <class Config, class T>
__global__ void __launch_bounds__(Config::threads, Config::template least_teams<T>())
    fused_1d_tuned_step(Field<const T> in, T* out, int ny, int nz, T alpha, FastDivide by_width,
                        FastDivide by_chunks) {
  constexpr int rows = Config::rows;
  const unsigned n = blockIdx.x * Config::threads + threadIdx.x, line = by_width(n), plane = by_chunks(line);
  const int k = int(plane), i = int(by_width.remainder(n, line));
  int j = int(by_chunks.remainder(line, plane)) * rows;
  if (k >= nz) return;
  if (j + rows <= ny) {
    // Compute all values before the first store: rows then share loads, and loads overlap.
    T values[rows];
    PARITY_UNROLL
    for (int u = 0; u < rows; ++u) values[u] = update_at(alpha, in.around(k, j + u, i));
    PARITY_UNROLL
    for (int u = 0; u < rows; ++u) out[in.offset(k, j + u) + i] = values[u];
  } else {
    PARITY_UNROLL_BY(1)
    for (; j < ny; ++j) out[in.offset(k, j) + i] = update_at(alpha, in.around(k, j, i));
  }
}

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny), nz = int(p.nz);
    FlatConfigs::dispatch(tuning, [&](auto form) {
      using Config = decltype(form);
      const std::int64_t chunks = ceil_divide(ny, Config::rows),
                         teams = ceil_divide(chunks * nx * nz, Config::threads);
      fused_1d_tuned_step<Config><<<unsigned(teams), Config::threads, 0, stream>>>(
          in, out.data, ny, nz, alpha, FastDivide(nx), FastDivide(chunks));
    });
  }
};

}  // namespace

Entry cuda_tuned() { return with_steps<HaloBefore, Step>(with_flat_rows(algorithm())); }

}  // namespace parity::diffusion::fused_1d

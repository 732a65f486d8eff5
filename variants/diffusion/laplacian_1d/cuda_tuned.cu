// SPDX-License-Identifier: BSD-3-Clause
// laplacian_1d, CUDA, tuned: a flat range, several rows a thread, divisions prepared on the host.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

/// Threads run over the columns first, then over chunks of some rows, then over the planes.
template <class Config, class T>
__global__ void __launch_bounds__(Config::threads, Config::template least_teams<T>())
    laplacian_kernel(Field<const T> from, Field<T> to, int nz, int ny, FastDivide by_width,
                     FastDivide by_chunks) {
  const unsigned n = blockIdx.x * Config::threads + threadIdx.x, chunk = by_width(n), k = by_chunks(chunk);
  if (k >= unsigned(nz)) return;
  const int i = int(by_width.remainder(n, chunk));
  int j = int(by_chunks.remainder(chunk, k)) * Config::rows;
  if (j + Config::rows <= ny) {
    // All values before the first store: what rows have in common is loaded once, and loads overlap.
    T values[Config::rows];
    PARITY_UNROLL
    for (int u = 0; u < Config::rows; ++u) values[u] = laplacian_at(from.around(int(k), j + u, i));
    PARITY_UNROLL
    for (int u = 0; u < Config::rows; ++u) to(int(k), j + u, i) = values[u];
  } else {
    PARITY_UNROLL_BY(1)
    for (; j < ny; ++j) to(int(k), j, i) = laplacian_at(from.around(int(k), j, i));
  }
}

struct LaplacianKernel : TunedElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from, Field<T> to) {
    const int nz = int(f.p.nz), ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin;
    FlatConfigs::dispatch(tuning, [&](auto config) {
      using Config = decltype(config);
      const std::int64_t chunks = ceil_divide(ny, Config::rows);
      laplacian_kernel<Config>
          <<<blocks_for(chunks * nx * nz, Config::threads), Config::threads, 0, f.stream>>>(
              from, to, nz, ny, FastDivide(nx), FastDivide(chunks));
    });
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::laplacian_1d {
Entry cuda_tuned() {
  return cuda::with_operations<cuda::LaplacianKernel>(cuda::with_flat_rows(laplacian_1d_algorithm<true>()));
}
}  // namespace parity::diffusion::laplacian_1d

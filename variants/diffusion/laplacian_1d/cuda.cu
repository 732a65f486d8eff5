// SPDX-License-Identifier: BSD-3-Clause
// laplacian_1d, CUDA, first version: one thread computes one point of a flat range.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion::laplacian_1d {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void laplacian_1d_of_points(Field<const T> from, Field<T> to, int points, int ny, int nx) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= points) return;
  const int row = n / nx, k = row / ny, j = row - k * ny, i = n - row * nx;
  to(k, j, i) =
      laplacian_at(from(k, j, i), from(k, j, i - 1), from(k, j, i + 1), from(k, j - 1, i), from(k, j + 1, i));
}

struct LaplacianKernel : ElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from, Field<T> to) {
    const int ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin,
              points = int(f.p.nz) * ny * nx;
    laplacian_1d_of_points<<<blocks_for(points, tuning[0]), tuning[0], 0, f.stream>>>(from, to, points, ny,
                                                                                      nx);
  }
};

}  // namespace

Entry cuda() {
  Entry e = with_flat_blocks(algorithm(), {"256", "128", "512"});
  e.refuse += refuse_planes;  // for the halo copies
  return with_steps<TwoStage, LaplacianKernel>(e);
}

}  // namespace parity::diffusion::laplacian_1d

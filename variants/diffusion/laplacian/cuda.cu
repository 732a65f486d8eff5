// SPDX-License-Identifier: BSD-3-Clause
// laplacian, CUDA, first version: one thread computes one point.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void laplacian_of_points(Field<const T> from, Field<T> to, int ny, int nx) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx)
    to(k, j, i) = laplacian_at(from(k, j, i), from(k, j, i - 1), from(k, j, i + 1), from(k, j - 1, i),
                               from(k, j + 1, i));
}

}  // namespace

template <class T>
void LaplacianOfPoints::apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from,
                                        Field<T> to) {
  const int ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin;
  const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, f.p.nz, block);
  laplacian_of_points<<<grid, block, 0, f.stream>>>(from, to, ny, nx);
}

template void LaplacianOfPoints::apply_laplacian(const Fields<float>&, const Tuning&, Field<const float>,
                                                 Field<float>);
template void LaplacianOfPoints::apply_laplacian(const Fields<double>&, const Tuning&, Field<const double>,
                                                 Field<double>);

}  // namespace parity::cuda

namespace parity::diffusion::laplacian {

Entry cuda() {
  return cuda::with_steps<cuda::TwoStage, cuda::LaplacianOfPoints>(
      cuda::with_blocks(algorithm(), {"2x128", "4x64", "8x32", "1x256"}));
}

}  // namespace parity::diffusion::laplacian

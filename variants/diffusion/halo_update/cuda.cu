// SPDX-License-Identifier: BSD-3-Clause
// halo_update, CUDA, first version: one thread a point.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void laplacian_kernel(Field<const T> from, Field<T> to, int ny, int nx) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx)
    to(k, j, i) = laplacian_at(from(k, j, i), from(k, j, i - 1), from(k, j, i + 1), from(k, j - 1, i),
                               from(k, j + 1, i));
}

/// The n-th halo cell of each plane takes what it repeats of the interior; grid (cells, nz).
template <class T>
__global__ void halo_kernel(Field<T> field, int ny, int nx, int h) {
  const int k = blockIdx.y, n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= halo_cells(nx, ny, h)) return;
  const auto c = halo_cell(n, nx, ny, h);
  field(k, c.row, c.column) = field(k, c.from_row, c.from_column);
}

struct HaloUpdate : ElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from, Field<T> to) {
    const int ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin;
    const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, f.p.nz, block);
    laplacian_kernel<<<grid, block, 0, f.stream>>>(from, to, ny, nx);
  }

  template <class T>
  static void update_halo(const Fields<T>& f, T* field) {
    const int ny = int(f.p.ny), nx = int(f.p.nx), h = int(f.p.halo), block = 256;
    const dim3 grid(blocks_for(halo_cells(nx, ny, h), block), unsigned(f.p.nz));
    halo_kernel<<<grid, block, 0, f.stream>>>(padded(f, field), ny, nx, h);
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::halo_update {
Entry cuda() {
  return cuda::with_operations<cuda::HaloUpdate>(
      cuda::with_blocks(halo_update_algorithm<true>(), {"2x128", "4x64", "8x32", "1x256"}));
}
}  // namespace parity::diffusion::halo_update

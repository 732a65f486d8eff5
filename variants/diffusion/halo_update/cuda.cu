// SPDX-License-Identifier: BSD-3-Clause
// halo_update, CUDA, first version: one thread computes one point, or copies one cell of the halo.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion::halo_update {
namespace {

using namespace parity::cuda;

/// Copies the periodic image of the n-th halo cell of each plane into it; grid (cells, nz).
template <class T>
__global__ void copy_halo_cells(Field<T> field, int ny, int nx, int h) {
  const int k = blockIdx.y, n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= halo_cells(nx, ny, h)) return;
  const auto c = halo_cell(n, nx, ny, h);
  field(k, c.row, c.column) = field(k, c.from_row, c.from_column);
}

struct HaloUpdate : LaplacianOfPoints {
  template <class T>
  static void update_halo(const Fields<T>& f, T* field) {
    const int ny = int(f.p.ny), nx = int(f.p.nx), h = int(f.p.halo), block = 256;
    const dim3 grid(blocks_for(halo_cells(nx, ny, h), block), unsigned(f.p.nz));
    copy_halo_cells<<<grid, block, 0, f.stream>>>(padded(f, field), ny, nx, h);
  }
};

}  // namespace

Entry cuda() {
  return with_steps<TwoStage, HaloUpdate>(with_blocks(algorithm(), {"2x128", "4x64", "8x32", "1x256"}));
}

}  // namespace parity::diffusion::halo_update

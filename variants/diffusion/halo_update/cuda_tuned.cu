// SPDX-License-Identifier: BSD-3-Clause
// halo_update, CUDA, tuned: a flat grid over the halo cells, divisions prepared on the host. The Laplacian is
// that of ../laplacian.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

/// The halo cells of one plane after the other, one thread a cell.
template <class Threads, class T>
__global__ void __launch_bounds__(Threads::threads, Threads::template least_teams<T>())
    halo_kernel(Field<T> field, int nz, int ny, int nx, int h, FastDivide by_cells, FastDivide by_pitch,
                FastDivide by_sides) {
  const unsigned n = blockIdx.x * Threads::threads + threadIdx.x, k = by_cells(n);
  if (k >= unsigned(nz)) return;
  const auto c = halo_cell(int(by_cells.remainder(n, k)), nx, ny, h, by_pitch, by_sides);
  field(int(k), c.row, c.column) = field(int(k), c.from_row, c.from_column);
}

}  // namespace

template <class T>
void Fields<T>::update_halo(T* f) const {
  using Threads = Tile<1, 1, 256>;
  const int nz = int(p.nz), ny = int(p.ny), nx = int(p.nx), h = int(p.halo);
  const std::int64_t cells = halo_cells(nx, ny, h);
  halo_kernel<Threads><<<blocks_for(cells * nz, Threads::threads), Threads::threads, 0, stream>>>(
      cuda::padded(*this, f), nz, ny, nx, h, FastDivide(cells), FastDivide(nx + 2 * h), FastDivide(2 * h));
  PARITY_CUDA(cudaGetLastError());
}
template void Fields<float>::update_halo(float*) const;
template void Fields<double>::update_halo(double*) const;

}  // namespace parity::cuda

namespace parity::diffusion::halo_update {
Entry cuda_tuned() {
  return cuda::with_operations<cuda::TunedHaloUpdate>(cuda::with_tiles(halo_update_algorithm<true>()));
}
}  // namespace parity::diffusion::halo_update

// SPDX-License-Identifier: BSD-3-Clause
// field_update, CUDA, first version: one thread updates one point, after the shared halo update.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion::field_update {
namespace {

using namespace parity::cuda;

/// On entry, out holds the Laplacian of the Laplacian; it becomes the updated field.
template <class T>
__global__ void update_points(Field<const T> in, Field<T> out, int ny, int nx, T alpha) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx) out(k, j, i) = update(in(k, j, i), alpha, out(k, j, i));
}

struct FieldUpdate : LaplacianOfPoints {
  template <class T>
  static void update_field(const Fields<T>& f, const Tuning& tuning, Field<const T> in, Field<T> out) {
    const T alpha = T(f.p.alpha);
    const int ny = int(f.p.ny), nx = int(f.p.nx);
    const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, f.p.nz, block);
    update_points<<<grid, block, 0, f.stream>>>(in, out, ny, nx, alpha);
  }

  template <class T>
  static void update_halo(const Fields<T>& f, T* field) {
    f.update_halo(field);
  }
};

}  // namespace

Entry cuda() {
  return with_steps<TwoStage, FieldUpdate>(with_blocks(algorithm(), {"2x128", "4x64", "8x32", "1x256"}));
}

}  // namespace parity::diffusion::field_update

// SPDX-License-Identifier: BSD-3-Clause
// field_update, CUDA, first version: one thread a point, after the halo update that all variants share.
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

/// out holds the Laplacian of the Laplacian and becomes the updated field.
template <class T>
__global__ void update_kernel(Field<const T> in, Field<T> out, int ny, int nx, T alpha) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx) out(k, j, i) = update(in(k, j, i), alpha, out(k, j, i));
}

struct FieldUpdate {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from, Field<T> to) {
    const int ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin;
    const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, f.p.nz, block);
    laplacian_kernel<<<grid, block, 0, f.stream>>>(from, to, ny, nx);
  }

  template <class T>
  static void update_field(const Fields<T>& f, const Tuning& tuning, Field<const T> in, Field<T> out) {
    const T alpha = T(f.p.alpha);
    const int ny = int(f.p.ny), nx = int(f.p.nx);
    const dim3 block = block_of(tuning), grid = plane_grid(nx, ny, f.p.nz, block);
    update_kernel<<<grid, block, 0, f.stream>>>(in, out, ny, nx, alpha);
  }

  template <class T>
  static void update_halo(const Fields<T>& f, T* field) {
    f.update_halo(field);
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::field_update {
Entry cuda() {
  return cuda::with_operations<cuda::FieldUpdate>(
      cuda::with_blocks(field_update_algorithm<true>(), {"2x128", "4x64", "8x32", "1x256"}));
}
}  // namespace parity::diffusion::field_update

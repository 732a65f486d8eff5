// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-field-update: written Laplacian, halo and field-update kernels. Twin of
// kokkos-field-update.
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

/// out holds the Laplacian of the Laplacian and becomes the updated field; grid (x, y, nz).
template <class T>
__global__ void field_update(const T* __restrict__ in, T* __restrict__ out, int nx, int ny, int h, T alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const std::size_t c = (std::size_t(blockIdx.z) * (ny + 2 * h) + h + j) * (nx + 2 * h) + h + i;
  out[c] = update(in[c], alpha, out[c]);
}

template <class T>
struct FieldUpdate {
  Fields<T> f;
  Laplacian2d<T> form_laplacian;
  FieldUpdate(const Problem& p, const Tuning& t) : f(Fields<T>::with_laplacian(p)), form_laplacian(p, t) {}
  void operator()(T* in, T* out) const {
    const Problem& p = f.p;
    const int h = int(p.halo);
    f.update_halo(in);
    form_laplacian(f, in, f.laplacian(), h - 1);
    form_laplacian(f, f.laplacian(), out, h);
    const Tuning& tuning = form_laplacian.tuning;
    if (is_tile(tuning)) {
      const UpdatePoints<T> points{in, out, {int(p.pitch()), int(p.rows()), h}, T(p.alpha)};
      for_tiles(f.stream, tuning, {p.nz, p.ny, p.nx}, points);
      return;
    }
    const dim3 block = block_of(tuning), grid = plane_grid(p.nx, p.ny, p.nz, block);
    field_update<<<grid, block, 0, f.stream>>>(in, out, int(p.nx), int(p.ny), h, T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T* result) const { f.update_halo(result); }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry field_update_cuda() {
  Entry e = cuda::two_stage_entry<cuda::FieldUpdate>(
      cuda::joined(cuda::PointTiles::names(), {"2x128", "4x64", "8x32", "1x256"}), cuda::tile_axes);
  e.refuse = cuda::refuse_tile<cuda::PointTiles>;
  e.model = [](const Problem& p) { return cost_per_step(p, 4, 7, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

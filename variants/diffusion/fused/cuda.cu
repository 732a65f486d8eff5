// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused: the 13-point update after a halo update, blocks over (y, x) of one point a thread,
// or tiles of several rows a thread. Twin of kokkos-fused.
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void fused_2d(const T* __restrict__ in, T* __restrict__ out, int nx, int ny, int h, T alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const int pitch = nx + 2 * h;
  const std::size_t centre = (std::size_t(blockIdx.z) * (ny + 2 * h) + h + j) * pitch + h + i;
  out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
}

template <class T>
struct Fused2d {
  Fields<T> f;
  Tuning tuning;
  Fused2d(const Problem& p, const Tuning& t) : f(Fields<T>::padded(p)), tuning(t) {}
  void operator()(T* in, T* out) const {
    const Problem& p = f.p;
    f.update_halo(in);
    if (is_tile(tuning)) {
      const FusedPoints<T> points{in, out, {int(p.pitch()), int(p.rows()), int(p.halo)}, T(p.alpha)};
      for_tiles(f.stream, tuning, {p.nz, p.ny, p.nx}, points);
      return;
    }
    const dim3 block = block_of(tuning), grid = plane_grid(p.nx, p.ny, p.nz, block);
    fused_2d<<<grid, block, 0, f.stream>>>(in, out, int(p.nx), int(p.ny), int(p.halo), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T* result) const { f.update_halo(result); }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry fused_cuda() {
  Entry e = cuda::stepped_entry<cuda::Fused2d>(
      cuda::joined(cuda::PointTiles::names(), {"2x128", "4x64", "8x32", "1x128", "4x128", "1x256", "16x16"}),
      cuda::tile_axes);
  e.refuse = cuda::refuse_tile<cuda::PointTiles>;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion

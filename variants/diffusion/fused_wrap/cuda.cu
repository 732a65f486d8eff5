// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-wrap: the 13-point update, blocks over (y, x) of one point a thread, or tiles of
// several rows a thread; neighbours wrap around, so no halo exists. Twin of kokkos-fused-wrap.
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void fused_wrap(const T* __restrict__ in, T* __restrict__ out, int nx, int ny, T alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const std::size_t first = std::size_t(blockIdx.z) * ny * nx;
  out[first + std::size_t(j) * nx + i] = update_at(alpha, WrappedNeighbours<T>(in + first, j, i, ny, nx));
}

template <class T>
struct FusedWrap {
  Fields<T> f;
  Tuning tuning;
  FusedWrap(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), tuning(t) {}
  void operator()(T* in, T* out) const {
    const Problem& p = f.p;
    if (is_tile(tuning)) {
      const WrapPoints<T> points{in, out, int(p.nx), int(p.ny), int(f.pitch), T(p.alpha)};
      for_tiles(f.stream, tuning, {p.nz, p.ny, p.nx}, points);
      return;
    }
    const dim3 block = block_of(tuning), grid = plane_grid(p.nx, p.ny, p.nz, block);
    fused_wrap<<<grid, block, 0, f.stream>>>(in, out, int(p.nx), int(p.ny), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T*) const {}
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry fused_wrap_cuda() {
  Entry e = cuda::stepped_entry<cuda::FusedWrap>(
      cuda::joined(cuda::PointTiles::names(), {"2x128", "4x64", "8x32", "1x128", "4x128", "1x256"}),
      cuda::tile_axes);
  e.refuse = cuda::refuse_tile<cuda::PointTiles>;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion

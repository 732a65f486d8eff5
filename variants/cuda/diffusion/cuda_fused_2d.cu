// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-2d: the 13-point update, one thread a point, blocks over (y, x), after a halo update.
// Twin of kokkos-fused.
#include "stepped.cuh"

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
  dim3 block;
  Fused2d(const Problem& p, const Tuning& t) : f(Fields<T>::padded(p)), block(block_of(t)) {}
  void operator()(T* in, T* out) const {
    const Problem& p = f.p;
    f.update_halo(in);
    const dim3 grid = plane_grid(p.nx, p.ny, p.nz, block);
    fused_2d<<<grid, block, 0, f.stream>>>(in, out, int(p.nx), int(p.ny), int(p.halo), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T* result) const { f.update_halo(result); }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_fused_2d() {
  Entry e = cuda::stepped_entry<cuda::Fused2d>({"2x128", "4x64", "8x32", "1x128", "4x128", "1x256", "16x16"},
                                               "rows x columns of a block");
  e.refuse = cuda::refuse_grid;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion

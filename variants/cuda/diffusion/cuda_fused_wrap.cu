// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-wrap: the 13-point update, one thread a point, blocks over (y, x); neighbours wrap
// around, so no halo exists. Twin of kokkos-fused-wrap.
#include "stepped.cuh"

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
  dim3 block;
  FusedWrap(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), block(block_of(t)) {}
  void operator()(T* in, T* out) const {
    const Problem& p = f.p;
    const dim3 grid = plane_grid(p.nx, p.ny, p.nz, block);
    fused_wrap<<<grid, block, 0, f.stream>>>(in, out, int(p.nx), int(p.ny), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T*) const {}
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_fused_wrap() {
  Entry e = cuda::stepped_entry<cuda::FusedWrap>({"2x128", "4x64", "8x32", "1x128", "4x128", "1x256"},
                                                 "rows x columns of a block");
  e.refuse = cuda::refuse_grid;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion

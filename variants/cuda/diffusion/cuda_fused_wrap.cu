// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-wrap: the 13-point update, one thread a point, blocks over (y, x); neighbours wrap
// around, so no halo exists. Twin of kokkos-fused-wrap.
#include "cuda_steps.cuh"

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
class FusedWrap : public CudaSteps<T> {
 public:
  FusedWrap(const Problem& p, const Tuning& t) : CudaSteps<T>(p, 0), block_(block_of(t)) {}

 protected:
  void launch_step(T* in, T* out) override {
    const Problem& p = this->p_;
    const dim3 grid = plane_grid(p.nx, p.ny, p.nz, block_);
    fused_wrap<<<grid, block_, 0, this->stream_>>>(in, out, int(p.nx), int(p.ny), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  dim3 block_;
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

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-field-update: written Laplacian, halo and field-update kernels. Twin of
// kokkos-field-update.
#include "cuda_two_stage.cuh"

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
class FieldUpdate : public TwoStage<T> {
 public:
  FieldUpdate(const Problem& p, const Tuning& t) : TwoStage<T>(p), block_(block_of(t)) {}

 protected:
  void form_laplacian(const T* from, T* to, int m) override {
    this->laplacian_by_blocks(from, to, m, block_);
  }
  void halo(T* f) override { this->update_halo(f); }
  void apply_update(const T* in, T* out) override {
    const Problem& p = this->p_;
    const dim3 grid = plane_grid(p.nx, p.ny, p.nz, block_);
    field_update<<<grid, block_, 0, this->stream_>>>(in, out, int(p.nx), int(p.ny), int(p.halo), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  dim3 block_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_field_update() {
  Entry e = cuda::two_stage_entry<cuda::FieldUpdate>({"2x128", "4x64", "8x32", "1x256"},
                                                     "rows x columns of a block");
  e.refuse = cuda::refuse_grid;
  e.model = [](const Problem& p) { return cost_per_step(p, 4, 7, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

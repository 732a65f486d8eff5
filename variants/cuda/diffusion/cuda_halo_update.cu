// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-halo-update: written Laplacian and halo kernels; the field update stays elementary.
// Twin of kokkos-halo-update.
#include "cuda_two_stage.cuh"

namespace parity::cuda {
namespace {

template <class T>
class HaloUpdate : public TwoStage<T> {
 public:
  HaloUpdate(const Problem& p, const Tuning& t) : TwoStage<T>(p), block_(block_of(t)) {}

 protected:
  void form_laplacian(const T* from, T* to, int m) override {
    this->laplacian_by_blocks(from, to, m, block_);
  }
  void halo(T* f) override { this->update_halo(f); }

 private:
  dim3 block_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_halo_update() {
  Entry e = cuda::two_stage_entry<cuda::HaloUpdate>({"2x128", "4x64", "8x32", "1x256"},
                                                    "rows x columns of a block");
  e.refuse = cuda::refuse_grid;
  e.model = [](const Problem& p) { return cost_per_step(p, 5, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-laplacian-2d: a written Laplacian kernel, blocks over (y, x); halo and field update stay
// elementary operations. Twin of kokkos-laplacian.
#include "cuda_two_stage.cuh"

namespace parity::cuda {
namespace {

template <class T>
class Laplacian2d : public TwoStage<T> {
 public:
  Laplacian2d(const Problem& p, const Tuning& t) : TwoStage<T>(p), block_(block_of(t)) {}

 protected:
  void form_laplacian(const T* from, T* to, int m) override {
    this->laplacian_by_blocks(from, to, m, block_);
  }

 private:
  dim3 block_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_laplacian_2d() {
  Entry e = cuda::two_stage_entry<cuda::Laplacian2d>({"2x128", "4x64", "8x32", "1x256"},
                                                     "rows x columns of a block");
  e.refuse = cuda::refuse_grid;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-baseline: elementary operations only, as array libraries execute the filter: the flat padded
// field is scaled and added, shifted by one neighbour at a time. Twin of kokkos-baseline.
#include "cuda_two_stage.cuh"

namespace parity::cuda {
namespace {

template <class T>
class Baseline : public TwoStage<T> {
 public:
  Baseline(const Problem& p, const Tuning&) : TwoStage<T>(p) {}

 protected:
  /// Over the flat field without a row at each end, whatever the margin: the halo is overwritten anyway.
  void form_laplacian(const T* from, T* to, int) override {
    const std::int64_t pitch = this->p_.pitch(), n = this->p_.padded_points() - 2 * pitch;
    this->scale_flat(from + pitch, to + pitch, T(laplacian_centre_weight), n);
    for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -pitch, pitch})
      this->add_flat(from + pitch + shift, to + pitch, n);
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_baseline() {
  Entry e = cuda::two_stage_entry<cuda::Baseline>({}, "");
  e.refuse = cuda::refuse_planes;
  e.model = [](const Problem& p) { return cost_per_step(p, 16, 33, 20); };
  return e;
}

}  // namespace parity::diffusion

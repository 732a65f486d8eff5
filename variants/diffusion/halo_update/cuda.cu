// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-halo-update: written Laplacian and halo kernels; the field update stays elementary.
// Twin of kokkos-halo-update.
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

template <class T>
struct HaloUpdate {
  Fields<T> f;
  Laplacian2d<T> form_laplacian;
  HaloUpdate(const Problem& p, const Tuning& t) : f(Fields<T>::with_laplacian(p)), form_laplacian(p, t) {}
  void operator()(T* in, T* out) const {
    const int h = int(f.p.halo);
    f.update_halo(in);
    form_laplacian(f, in, f.laplacian(), h - 1);
    form_laplacian(f, f.laplacian(), out, h);
    update_by_operations(f, in, out);
  }
  void finish(T* result) const { f.update_halo(result); }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry halo_update_cuda() {
  Entry e = cuda::two_stage_entry<cuda::HaloUpdate>(
      cuda::joined(cuda::PointTiles::names(), {"2x128", "4x64", "8x32", "1x256"}), cuda::tile_axes);
  e.refuse = cuda::refuse_tile<cuda::PointTiles>;
  e.model = [](const Problem& p) { return cost_per_step(p, 5, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

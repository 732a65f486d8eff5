// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-halo-update-tuned: written Laplacian and halo kernels by a flat range; the field update
// stays elementary.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct HaloUpdateTiled {
  Fields<T> f;
  TiledLaplacian<T> form_laplacian;
  HaloUpdateTiled(const Problem& p, const Tuning& t)
      : f(Fields<T>::with_laplacian(p)), form_laplacian(p, t) {}

  template <class Queue>
  void operator()(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    const int h = int(f.p.halo);
    TiledOperations::update_halo(queue, f.p, in);
    form_laplacian(queue, f.p, in, f.laplacian, h - 1);
    form_laplacian(queue, f.p, f.laplacian, out, h);
    TiledOperations::update_by_operations(queue, f.p, in, out);
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    TiledOperations::update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry halo_update_kokkos_tuned() {
  Entry e = tiled_entry();
  e.fields = 3;
  e.model = [](const Problem& p) { return cost_in_place(p, 5, 9, 2, two_stage_flops); };
  return with_steps<HaloUpdateTiled>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-halo-update: written Laplacian and halo kernels; the field update stays elementary.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct HaloUpdate {
  Fields<T> f;
  Laplacian2d<T> form_laplacian;
  HaloUpdate(const Problem& p, const Tuning& t) : f(Fields<T>::with_laplacian(p)), form_laplacian(p, t) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    const int h = int(f.p.halo);
    update_halo(queue, f.p, in);
    form_laplacian(queue, f.p, in, f.laplacian, h - 1);
    form_laplacian(queue, f.p, f.laplacian, out, h);
    update_by_operations(queue, f.p, in, out);
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry halo_update_kokkos() {
  Entry e = kokkos_entry(laplacian_tiles_on_device(),
                         laplacian_tiles_on_host(), "planes x rows x columns of a tile");
  e.fields = 3;
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_in_place(p, 5, 9, 2, two_stage_flops); };
  return with_steps<HaloUpdate>(e);
}

}  // namespace parity::diffusion

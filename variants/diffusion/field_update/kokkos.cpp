// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-field-update: written Laplacian, halo and field-update kernels.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct FieldUpdate {
  Fields<T> f;
  Laplacian2d<T> form_laplacian;
  FieldUpdate(const Problem& p, const Tuning& t) : f(Fields<T>::with_laplacian(p)), form_laplacian(p, t) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    const Problem& p = f.p;
    const int h = int(p.halo);
    update_halo(queue, p, in);
    form_laplacian(queue, p, in, f.laplacian, h - 1);
    form_laplacian(queue, p, f.laplacian, out, h);
    const T alpha = T(p.alpha);
    queue.parallel_for(
        "parity::diffusion::field_update", range3(queue.exec(), p.nz, p.ny, p.nx, form_laplacian.tile),
        KOKKOS_LAMBDA(int i, int j, int k) {
          out(k, h + j, h + i) = update(in(k, h + j, h + i), alpha, out(k, h + j, h + i));
        });
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry field_update_kokkos() {
  Entry e = kokkos_entry(laplacian_tiles_on_device(),
                         laplacian_tiles_on_host(), "planes x rows x columns of a tile");
  e.fields = 3;
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_in_place(p, 4, 7, 1, two_stage_flops); };
  return with_steps<FieldUpdate>(e);
}

}  // namespace parity::diffusion

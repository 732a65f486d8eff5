// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-field-update-tuned: written Laplacian, halo and field-update kernels by a flat range; on a
// host rows with vector loops.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"
#include "diffusion/points.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct FieldUpdateTiled {
  Fields<T> f;
  TiledLaplacian<T> form_laplacian;
  FieldUpdateTiled(const Problem& p, const Tuning& t)
      : f(Fields<T>::with_laplacian(p)), form_laplacian(p, t) {}

  template <class Queue>
  void operator()(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    const Problem& p = f.p;
    const int h = int(p.halo);
    const UpdatePoints<T> points{in.data(), out.data(), {int(p.pitch()), int(p.rows()), h}, T(p.alpha)};
    TiledOperations::update_halo(queue, p, in);
    form_laplacian(queue, p, in, f.laplacian, h - 1);
    form_laplacian(queue, p, f.laplacian, out, h);
    PointTiles::with(form_laplacian.tile, [&](auto form) {
      for_points<TileMap<decltype(form)>>(queue, "parity::diffusion::field_update_tiled", inside(p, h),
                                          points);
    });
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    TiledOperations::update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry field_update_kokkos_tuned() {
  Entry e = tiled_entry();
  e.fields = 3;
  e.model = [](const Problem& p) { return cost_in_place(p, 4, 7, 1, two_stage_flops); };
  return with_steps<FieldUpdateTiled>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-tuned: the 13-point update by flat range over tiles that the compiler knows, several
// rows a thread, divisions prepared on the host; on a host rows with a vector loop. After a halo update.
#include "backend/kokkos/diffusion/stepped.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"
#include "diffusion/points.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct FusedTiled {
  Fields<T> f;
  Tuning tile;
  FusedTiled(const Problem& p, const Tuning& t) : f(Fields<T>::padded(p)), tile(t) {}

  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = f.p;
    const FusedPoints<T> points{
        from.data(), to.data(), {int(p.pitch()), int(p.rows()), int(p.halo)}, T(p.alpha)};
    TiledOperations::update_halo(queue, p, from);
    PointTiles::with(tile, [&](auto form) {
      for_points<TileMap<decltype(form)>>(queue, "parity::diffusion::fused_tiled", {p.nz, p.ny, p.nx},
                                          points);
    });
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    TiledOperations::update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry fused_kokkos_tuned() {
  Entry e = tiled_entry();
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return with_steps<FusedTiled>(e);
}

}  // namespace parity::diffusion

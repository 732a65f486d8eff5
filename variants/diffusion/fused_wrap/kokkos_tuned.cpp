// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-wrap-tuned: the 13-point update by flat range over tiles, several rows a thread,
// periodic indices in 32 bits instead of a halo; on a host rows with a vector loop between the seams.
#include "backend/kokkos/diffusion/stepped.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"
#include "diffusion/points.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct FusedWrapTiled {
  Fields<T> f;
  Tuning tile;
  FusedWrapTiled(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), tile(t) {}

  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = f.p;
    const WrapPoints<T> points{from.data(), to.data(), int(p.nx), int(p.ny), int(f.pitch), T(p.alpha)};
    PointTiles::with(tile, [&](auto form) {
      for_points<TileMap<decltype(form)>>(queue, "parity::diffusion::fused_wrap_tiled", {p.nz, p.ny, p.nx},
                                          points);
    });
  }
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}
};

}  // namespace

Entry fused_wrap_kokkos_tuned() {
  Entry e = tiled_entry();
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return with_steps<FusedWrapTiled>(e);
}

}  // namespace parity::diffusion

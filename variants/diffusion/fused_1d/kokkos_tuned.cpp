// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-1d-tuned: the 13-point update by threads over a flat range, several rows a thread,
// divisions prepared on the host. After a halo update.
#include "backend/kokkos/diffusion/stepped.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"
#include "diffusion/points.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct Fused1dFlat {
  Fields<T> f;
  Tuning tuning;
  Fused1dFlat(const Problem& p, const Tuning& t) : f(Fields<T>::padded(p)), tuning(t) {}

  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = f.p;
    const FusedPoints<T> points{
        from.data(), to.data(), {int(p.pitch()), int(p.rows()), int(p.halo)}, T(p.alpha)};
    TiledOperations::update_halo(queue, p, from);
    FlatRows::with(tuning, [&](auto rows) {
      for_points<FlatMap<decltype(rows)::count>>(queue, "parity::diffusion::fused_1d_flat",
                                                 {p.nz, p.ny, p.nx}, points);
    });
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    TiledOperations::update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry fused_1d_kokkos_tuned() {
  Entry e =
      flat_entry();
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return with_steps<Fused1dFlat>(e);
}

}  // namespace parity::diffusion

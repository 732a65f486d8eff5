// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-laplacian-1d-tuned: a written Laplacian kernel by threads over a flat range, several
// rows a thread; halo and field update stay elementary operations, as flat teams.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"
#include "diffusion/points.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct Laplacian1dFlat {
  Tuning tuning;
  Laplacian1dFlat(const Problem&, const Tuning& t) : tuning(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int m) const {
    const LaplacianPoints<T> points{from.data(), to.data(), {int(p.pitch()), int(p.rows()), m}};
    FlatRows::with(tuning, [&](auto rows) {
      for_points<FlatMap<decltype(rows)::count>>(queue, "parity::diffusion::laplacian_1d_flat", inside(p, m),
                                                 points);
    });
  }
};

}  // namespace

Entry laplacian_1d_kokkos_tuned() {
  Entry e = flat_entry();
  e.model = [](const Problem& p) { return cost_in_place(p, 8, 9, 2, two_stage_flops); };
  return with_elementary_steps<Laplacian1dFlat, TiledOperations>(e);
}

}  // namespace parity::diffusion

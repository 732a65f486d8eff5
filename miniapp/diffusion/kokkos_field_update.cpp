// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-field-update: written Laplacian, halo and field-update kernels.
#include "diffusion/kokkos_two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosFieldUpdate : public KokkosTwoStage<T, KokkosFieldUpdate<T>> {
 public:
  KokkosFieldUpdate(const Problem& p, const Tuning& tile)
      : KokkosTwoStage<T, KokkosFieldUpdate<T>>(p), tile_(tile) {}

  template <class Queue>
  void enqueue_step(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    const Problem& p = this->p_;
    const int h = int(p.halo);
    update_halo(queue, p, in);
    this->laplacian_2d(queue, in, this->tmp_, h - 1, tile_);
    this->laplacian_2d(queue, this->tmp_, out, h, tile_);
    const T alpha = T(p.alpha);
    queue.parallel_for(
        "parity::diffusion::field_update", range3(queue.exec(), p.nz, p.ny, p.nx, tile_),
        KOKKOS_LAMBDA(int i, int j, int k) {
          out(k, h + j, h + i) = update(in(k, h + j, h + i), alpha, out(k, h + j, h + i));
        });
  }

 private:
  Tuning tile_;
};

}  // namespace

Entry kokkos_field_update() {
  Entry e = kokkos_entry("kokkos-field-update", "written Laplacian, halo and field-update kernels",
                         twin_of("cuda-field-update", "openmp-field-update"), laplacian_tiles_on_device(),
                         laplacian_tiles_on_host(), "planes x rows x columns of a tile");
  e.fields = 3;
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_per_step(p, 4, 7, two_stage_flops); };
  return with_steps<KokkosFieldUpdate>(e);
}

}  // namespace parity::diffusion

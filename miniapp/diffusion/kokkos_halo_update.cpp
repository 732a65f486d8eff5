// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-halo-update: written Laplacian and halo kernels; the field update stays elementary.
#include "diffusion/kokkos_two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosHaloUpdate : public KokkosTwoStage<T, KokkosHaloUpdate<T>> {
 public:
  KokkosHaloUpdate(const Problem& p, const Tuning& tile)
      : KokkosTwoStage<T, KokkosHaloUpdate<T>>(p), tile_(tile) {}

  template <class Queue>
  void enqueue_step(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    const int h = int(this->p_.halo);
    update_halo(queue, this->p_, in);
    this->laplacian_2d(queue, in, this->tmp_, h - 1, tile_);
    this->laplacian_2d(queue, this->tmp_, out, h, tile_);
    this->update_by_operations(queue, in, out);
  }

 private:
  Tuning tile_;
};

}  // namespace

Entry kokkos_halo_update() {
  Entry e = kokkos_entry("kokkos-halo-update", "written Laplacian and halo kernels, elementary field update",
                         twin_of("cuda-halo-update", ""), laplacian_tiles_on_device(),
                         laplacian_tiles_on_host(), "planes x rows x columns of a tile");
  e.fields = 3;
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_per_step(p, 5, 9, two_stage_flops); };
  return with_steps<KokkosHaloUpdate>(e);
}

}  // namespace parity::diffusion

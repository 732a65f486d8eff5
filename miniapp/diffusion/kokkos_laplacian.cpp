// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-laplacian: a written Laplacian kernel (MDRange over y and x); halo and field update stay
// elementary operations.
#include "diffusion/kokkos_two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosLaplacian : public KokkosTwoStage<T, KokkosLaplacian<T>> {
 public:
  KokkosLaplacian(const Problem& p, const Tuning& tile)
      : KokkosTwoStage<T, KokkosLaplacian<T>>(p), tile_(tile) {}

  template <class Queue>
  void enqueue_step(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    const int h = int(this->p_.halo);
    this->copy_halo(queue, in);
    this->laplacian_2d(queue, in, this->tmp_, h - 1, tile_);
    this->laplacian_2d(queue, this->tmp_, out, h, tile_);
    this->update_by_operations(queue, in, out);
  }
  template <class Queue>
  void enqueue_finish(Queue& queue, const Field<T>& f) const {
    this->copy_halo(queue, f);
  }

 private:
  Tuning tile_;
};

}  // namespace

Entry kokkos_laplacian() {
  Entry e = kokkos_entry("kokkos-laplacian", "written Laplacian (MDRange), elementary halo and field update",
                         twin_of("cuda-laplacian-2d", ""), laplacian_tiles_on_device(),
                         laplacian_tiles_on_host(), "planes x rows x columns of a tile");
  e.fields = 3;
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return with_steps<KokkosLaplacian>(e);
}

}  // namespace parity::diffusion

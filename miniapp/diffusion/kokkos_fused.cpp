// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused: the 13-point update as one MDRange kernel, after a halo update.
#include "diffusion/kokkos_steps.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosFused : public KokkosSteps<T, KokkosFused<T>> {
 public:
  KokkosFused(const Problem& p, const Tuning& tile)
      : KokkosSteps<T, KokkosFused<T>>(p, p.halo), tile_(tile) {}

  template <class Queue>
  void enqueue_step(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = this->p_;
    const int pitch = int(p.pitch()), rows = int(p.rows()), h = int(p.halo);
    const T alpha = T(p.alpha);
    const T* const in = from.data();
    T* const out = to.data();
    update_halo(queue, p, from);
    queue.parallel_for(
        "parity::diffusion::fused", range3(queue.exec(), p.nz, p.ny, p.nx, tile_),
        KOKKOS_LAMBDA(int i, int j, int k) {
          const std::size_t centre = (std::size_t(k) * rows + h + j) * pitch + h + i;
          out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
        });
  }

 private:
  Tuning tile_;
};

}  // namespace

Entry kokkos_fused() {
  Entry e =
      kokkos_entry("kokkos-fused", "13-point update (MDRange), halo update before it",
                   twin_of("cuda-fused-2d", "openmp-fused"),
                   {"1x2x128", "1x4x64", "1x8x32", "1x1x128", "1x4x128", "1x1x256"},
                   {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"}, "planes x rows x columns of a tile");
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return with_steps<KokkosFused>(e);
}

}  // namespace parity::diffusion

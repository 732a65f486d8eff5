// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused: the 13-point update as one MDRange kernel, after a halo update.
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct Fused {
  Fields<T> f;
  Tuning tile;
  Fused(const Problem& p, const Tuning& t) : f(Fields<T>::padded(p)), tile(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = f.p;
    const int pitch = int(p.pitch()), rows = int(p.rows()), h = int(p.halo);
    const T alpha = T(p.alpha);
    const T* const in = from.data();
    T* const out = to.data();
    update_halo(queue, p, from);
    queue.parallel_for(
        "parity::diffusion::fused", range3(queue.exec(), p.nz, p.ny, p.nx, tile),
        KOKKOS_LAMBDA(int i, int j, int k) {
          const std::size_t centre = (std::size_t(k) * rows + h + j) * pitch + h + i;
          out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
        });
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry fused_kokkos() {
  Entry e =
      kokkos_entry({"1x2x128", "1x4x64", "1x8x32", "1x1x128", "1x4x128", "1x1x256"},
                   {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"}, "planes x rows x columns of a tile");
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return with_steps<Fused>(e);
}

}  // namespace parity::diffusion

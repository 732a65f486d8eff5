// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-1d: the 13-point update over a flat range of points, after a halo update.
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct Fused1d {
  Fields<T> f;
  Fused1d(const Problem& p, const Tuning&) : f(Fields<T>::padded(p)) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = f.p;
    const int nx = int(p.nx), ny = int(p.ny), pitch = int(p.pitch()), rows = int(p.rows()), h = int(p.halo);
    const T alpha = T(p.alpha);
    const T* const in = from.data();
    T* const out = to.data();
    update_halo(queue, p, from);
    queue.parallel_for(
        "parity::diffusion::fused_1d", Range1<int>(queue.exec(), 0, int(p.points())), KOKKOS_LAMBDA(int n) {
          const int row = n / nx, k = row / ny;
          const std::size_t centre =
              (std::size_t(k) * rows + (row - k * ny) + h) * pitch + (n - row * nx) + h;
          out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
        });
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    update_halo(queue, f.p, result);
  }
};

}  // namespace

Entry fused_1d_kokkos() {
  Entry e = kokkos_entry({}, {}, "");
  e.refuse = refuse_many_points;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return with_steps<Fused1d>(e);
}

}  // namespace parity::diffusion

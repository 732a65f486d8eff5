// SPDX-License-Identifier: BSD-3-Clause
// fused_1d, Kokkos, first version: one flat range updates the interior of Views that have a halo.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::fused_1d {
namespace {

struct Step {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                  const Field<T>& out) const {
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny);
    Kokkos::parallel_for(
        queue, "parity::diffusion::fused_1d", Kokkos::RangePolicy<Exec>(queue.exec(), 0, p.points()),
        KOKKOS_LAMBDA(int n) {
          const int row = n / nx, k = row / ny, j = row - k * ny, i = n - row * nx;
          out(k, j, i) = update_at(alpha, in, k, j, i);
        });
  }
};

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  e.refuse += refuse_many_points;
  return with_steps<HaloBefore, Step>(e);
}

}  // namespace parity::diffusion::fused_1d

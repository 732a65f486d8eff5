// SPDX-License-Identifier: BSD-3-Clause
// fused_1d, Kokkos, first version: a range over the inside of Views with a halo.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::fused_1d {
namespace {

template <class T, class Queue>
void step(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& out) {
  const T alpha = T(p.alpha);
  const int nx = int(p.nx), ny = int(p.ny), h = int(p.halo);
  queue.parallel_for(
      "parity::diffusion::fused_1d", Kokkos::RangePolicy<Exec>(queue.exec(), 0, p.points()),
      KOKKOS_LAMBDA(int n) {
        const int row = n / nx, k = row / ny, j = h + row - k * ny, i = h + n - row * nx;
        out(k, j, i) = update_at(alpha, in, k, j, i);
      });
}

}  // namespace

PARITY_KOKKOS_VARIANT(kokkos, HaloBefore, step, with_limit(fused_1d::algorithm(), refuse_many_points))

}  // namespace parity::diffusion::fused_1d

// SPDX-License-Identifier: BSD-3-Clause
// fused, Kokkos, first version: one MDRange over the inside of Views with a halo.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::fused {
namespace {

template <class T, class Queue>
void step(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& out) {
  using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
  const T alpha = T(p.alpha);
  const std::int64_t h = p.halo;
  queue.parallel_for(
      "parity::diffusion::fused", Policy(queue.exec(), {0, h, h}, {p.nz, h + p.ny, h + p.nx}),
      KOKKOS_LAMBDA(int k, int j, int i) { out(k, j, i) = update_at(alpha, in, k, j, i); });
}

}  // namespace

PARITY_KOKKOS_VARIANT(kokkos, HaloBefore, step, fused::algorithm())

}  // namespace parity::diffusion::fused

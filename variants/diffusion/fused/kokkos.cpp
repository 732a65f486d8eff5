// SPDX-License-Identifier: BSD-3-Clause
// fused, Kokkos, first version: one MDRange updates the interior of Views that have a halo.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::fused {
namespace {

struct Step {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                  const Field<T>& out) const {
    using Policy =
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
    const T alpha = T(p.alpha);
    Kokkos::parallel_for(
        queue, "parity::diffusion::fused", Policy(queue.exec(), {0, 0, 0}, {p.nz, p.ny, p.nx}),
        KOKKOS_LAMBDA(int k, int j, int i) { out(k, j, i) = update_at(alpha, in, k, j, i); });
  }
};

}  // namespace

Entry kokkos() { return with_steps<HaloBefore, Step>(algorithm()); }

}  // namespace parity::diffusion::fused

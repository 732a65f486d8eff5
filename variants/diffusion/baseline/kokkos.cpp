// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-baseline: elementary operations only, the original work's baseline. The flat padded field
// is scaled and added, shifted by one neighbour at a time; what lands in the halo is garbage and is
// overwritten by the next halo copies.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {
namespace {

/// Over the flat field without a row at each end, whatever the margin.
template <class T>
struct LaplacianByOperations {
  LaplacianByOperations(const Problem&, const Tuning&) {}
  template <class Queue>
  void operator()(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int) const {
    scale(queue, p, from, to, T(laplacian_centre_weight));
    for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -p.pitch(), p.pitch()})
      add(queue, p, from, shift, to);
  }
};

}  // namespace

Entry baseline_kokkos() {
  Entry e = kokkos_entry({}, {}, "");
  e.model = [](const Problem& p) { return cost_in_place(p, 16, 33, 10, 20); };
  return with_elementary_steps<LaplacianByOperations>(e);
}

}  // namespace parity::diffusion

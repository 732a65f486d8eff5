// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-baseline-tuned: elementary operations only, as flat teams with several elements a thread;
// on a host pieces with a vector loop.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"

namespace parity::diffusion {
namespace {

/// Over the flat field without a row at each end, whatever the margin.
template <class T>
struct FlatOperations {
  Tuning elements;
  FlatOperations(const Problem&, const Tuning& t) : elements(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int) const {
    TiledOperations::scale(queue, p, from, to, T(laplacian_centre_weight), elements);
    for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -p.pitch(), p.pitch()})
      TiledOperations::add(queue, p, from, shift, to, elements);
  }
};

}  // namespace

Entry baseline_kokkos_tuned() {
  Entry e = expert_entry<LineForms>("elements a thread");
  e.model = [](const Problem& p) { return cost_in_place(p, 16, 33, 10, 20); };
  return with_elementary_steps<FlatOperations, TiledOperations>(e);
}

}  // namespace parity::diffusion

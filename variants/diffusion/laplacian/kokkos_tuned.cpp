// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-laplacian-tuned: a written Laplacian kernel by flat range over tiles; halo and field
// update stay elementary operations, as flat teams.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"

namespace parity::diffusion {

Entry laplacian_kokkos_tuned() {
  Entry e = tiled_entry();
  e.model = [](const Problem& p) { return cost_in_place(p, 8, 9, 2, two_stage_flops); };
  return with_elementary_steps<TiledLaplacian, TiledOperations>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-laplacian-tiled: a written Laplacian kernel by flat range over tiles; halo and field
// update stay elementary operations, as flat teams.
#include "diffusion/kokkos/in_place.hpp"
#include "diffusion/kokkos/tiled_operations.hpp"

namespace parity::diffusion {

Entry kokkos_laplacian_tiled() {
  Entry e = tiled_entry("kokkos-laplacian-tiled",
                        "written Laplacian (flat range over tiles), elementary halo and field update",
                        twin_of("cuda-laplacian-2d", ""));
  e.model = [](const Problem& p) { return cost_in_place(p, 8, 9, 2, two_stage_flops); };
  return with_elementary_steps<TiledLaplacian, TiledOperations>(e);
}

}  // namespace parity::diffusion

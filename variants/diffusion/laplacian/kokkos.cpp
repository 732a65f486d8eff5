// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-laplacian: a written Laplacian kernel (MDRange over y and x); halo and field update stay
// elementary operations.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {
Entry laplacian_kokkos() {
  Entry e = kokkos_entry(laplacian_tiles_on_device(),
                         laplacian_tiles_on_host(), "planes x rows x columns of a tile");
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_in_place(p, 8, 9, 2, two_stage_flops); };
  return with_elementary_steps<Laplacian2d>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-laplacian: a written Laplacian kernel, blocks over (y, x); halo and field update stay
// elementary operations. Twin of kokkos-laplacian.
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion {

Entry laplacian_cuda() {
  Entry e = cuda::elementary_entry<cuda::Laplacian2d>(
      cuda::joined(cuda::PointTiles::names(), {"2x128", "4x64", "8x32", "1x256"}), cuda::tile_axes);
  e.refuse = cuda::refuse_tile<cuda::PointTiles>;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

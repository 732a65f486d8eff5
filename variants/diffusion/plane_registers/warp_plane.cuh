// SPDX-License-Identifier: BSD-3-Clause
// All steps of a plane in the registers of one warp.
#pragma once
#include "warp_plane.hpp"
#include "backend/cuda/diffusion/lanes.cuh"

namespace parity::cuda {

using namespace parity::diffusion;

/// Grid: planes. One warp a block.
template <class T, int rows, int columns, int lanes_in_x, bool deferred>
__global__ void __launch_bounds__(32)
    warp_plane(const T* __restrict__ in, T* __restrict__ out, int pitch, T alpha, int steps) {
  WarpPlane<T, rows, columns, lanes_in_x> p(WarpLanes{int(threadIdx.x)});
  const std::size_t at = (std::size_t(blockIdx.x) * p.ny + p.y) * pitch + p.x;
#pragma unroll
  for (int r = 0; r < rows; ++r) read_columns(p.v[r], in + at + std::size_t(r) * pitch);
  p.template advance<deferred>(alpha, steps);
#pragma unroll
  for (int r = 0; r < rows; ++r) write_columns(p.v[r], out + at + std::size_t(r) * pitch);
}

}  // namespace parity::cuda

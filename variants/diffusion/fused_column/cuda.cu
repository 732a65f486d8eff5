// SPDX-License-Identifier: BSD-3-Clause
// fused_column, CUDA, first version: one thread updates one column of a chunk of rows.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::diffusion::fused_column {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void fused_column_step(Field<const T> in, Field<T> out, int nx, int ny, T alpha) {
  constexpr int rows = rows_of_thread;
  const int k = blockIdx.z, chunk = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx) return;
  const int west = wrap(i - 1, nx), far_west = wrap(i - 2, nx), east = wrap(i + 1, nx),
            far_east = wrap(i + 2, nx);
  const int first = chunk * rows, last = first + rows < ny ? first + rows : ny;
  if (first >= ny) return;
  int ahead = wrap(first + 1, ny), far_ahead = wrap(first + 2, ny);
  Window<T> window;
  for (int d = 1; d < 5; ++d) window.centre[d] = in(k, wrap(first + d - 3, ny), i);
  for (int d = 1; d < 3; ++d) {
    const int j = wrap(first + d - 2, ny);
    window.west[d] = in(k, j, west);
    window.east[d] = in(k, j, east);
  }
  for (int j = first; j < last; ++j) {
    window.advance(in(k, far_ahead, i), in(k, ahead, west), in(k, ahead, east));
    out(k, j, i) = window.updated(alpha, in(k, j, far_west), in(k, j, far_east));
    ahead = far_ahead;
    far_ahead = far_ahead + 1 < ny ? far_ahead + 1 : 0;
  }
}

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny);
    const dim3 block = block_of(tuning), grid = plane_grid(nx, blocks_for(ny, rows_of_thread), p.nz, block);
    fused_column_step<<<grid, block, 0, stream>>>(in, out, nx, ny, alpha);
  }
};

}  // namespace

Entry cuda() {
  return with_steps<Periodic, Step>(with_blocks(algorithm(), {"2x128", "4x64", "8x32", "1x128", "1x256"}));
}

}  // namespace parity::diffusion::fused_column

// SPDX-License-Identifier: BSD-3-Clause
// All steps of a plane in the registers of one warp: both wraps are rings of lanes, no shared memory, no
// barrier. For planes of exactly (group_lanes x columns) x (32 / group_lanes x rows) points.
#pragma once
#include "diffusion/stencil.hpp"
#include "lanes.cuh"

namespace parity::cuda {

using namespace parity::diffusion;

template <class T, int rows, int columns, int lanes_in_x>
struct WarpPlane {
  static constexpr int lanes_in_y = 32 / lanes_in_x, nx = lanes_in_x * columns, ny = lanes_in_y * rows;

  int west, east, south, north;
  T v[rows][columns];

  __device__ __forceinline__ explicit WarpPlane(int lane) {
    const int x = lane % lanes_in_x, row = lane - x;
    west = row + (x + lanes_in_x - 1) % lanes_in_x;
    east = row + (x + 1) % lanes_in_x;
    south = (lane + 32 - lanes_in_x) % 32;
    north = (lane + lanes_in_x) % 32;
  }
  /// A sum over the four neighbours of every point, and what makes of it and of the point's own value.
  template <class Make>
  __device__ __forceinline__ void neighbours(const T (&a)[rows][columns], Make make) const {
    T below[columns], above[columns], left[rows], right[rows];
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      below[i] = __shfl_sync(all_lanes, a[rows - 1][i], south);
      above[i] = __shfl_sync(all_lanes, a[0][i], north);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      left[r] = __shfl_sync(all_lanes, a[r][columns - 1], west);
      right[r] = __shfl_sync(all_lanes, a[r][0], east);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int i = 0; i < columns; ++i)
        make(r, i, (i > 0 ? a[r][i - 1] : left[r]) + (i < columns - 1 ? a[r][i + 1] : right[r]),
             (r > 0 ? a[r - 1][i] : below[i]) + (r < rows - 1 ? a[r + 1][i] : above[i]));
  }
};

/// Grid: planes. One warp a block.
template <class T, int rows, int columns, int lanes_in_x, bool deferred>
__global__ void __launch_bounds__(32)
    warp_plane(const T* __restrict__ in, T* __restrict__ out, int pitch, T alpha, int steps) {
  using Plane = WarpPlane<T, rows, columns, lanes_in_x>;
  using Scaled = DeferredScale<T>;
  const int lane = threadIdx.x, x = lane % lanes_in_x * columns, y = lane / lanes_in_x * rows;
  const std::size_t at = (std::size_t(blockIdx.x) * Plane::ny + y) * pitch + x;
  Plane p(lane);
#pragma unroll
  for (int r = 0; r < rows; ++r) read_columns(p.v[r], in + at + std::size_t(r) * pitch);
  const auto step = [&] {
    T lap[rows][columns], next[rows][columns];
    p.neighbours(p.v, [&](int r, int i, T row, T column) {
      lap[r][i] =
          deferred ? Scaled::inner(p.v[r][i], row, column) : laplacian_of_pairs(p.v[r][i], row, column);
    });
    p.neighbours(lap, [&](int r, int i, T row, T column) {
      next[r][i] = deferred ? Scaled::update(p.v[r][i], row, column)
                            : update_of_pairs(p.v[r][i], alpha, lap[r][i], row, column);
    });
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int i = 0; i < columns; ++i) p.v[r][i] = next[r][i];
  };
  const auto scale = [&](T factor) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int i = 0; i < columns; ++i) p.v[r][i] *= factor;
  };
  int left = steps;
#pragma unroll 1
  for (; left >= Scaled::steps; left -= Scaled::steps) {
#pragma unroll 4
    for (int s = 0; s < Scaled::steps; ++s) step();
    if (deferred) scale(T(1.0 / 4294967296.0));
  }
#pragma unroll 1
  for (int s = 0; s < left; ++s) step();
  if (deferred) scale(Scaled::factor(left));
#pragma unroll
  for (int r = 0; r < rows; ++r) write_columns(p.v[r], out + at + std::size_t(r) * pitch);
}

}  // namespace parity::cuda

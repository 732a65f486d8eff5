// SPDX-License-Identifier: BSD-3-Clause
// CUDA kernels of Bezencon, Mietz, Vetsch and Maeder (2024) for CuPy, which compiles this file with NVRTC.
// TYPE is float or double, TILE_ROWS x TILE_COLUMNS the block of the shared-memory kernel. All variants share
// the arithmetic and the halo's indices.
#include "diffusion/halo.hpp"
#include "diffusion/stencil.hpp"

using parity::diffusion::FlatNeighbours;
using parity::diffusion::laplacian_at;

/// Laplacian of all points but a margin of m around each plane; one thread per point of a flat range.
extern "C" __global__ void laplacian_1d(const TYPE* __restrict__ from, TYPE* __restrict__ to, int points,
                                        int pitch, int rows, int m) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= points) return;
  const int width = pitch - 2 * m, height = rows - 2 * m, row = n / width, k = row / height;
  const std::size_t c = (std::size_t(k) * rows + (row - k * height) + m) * pitch + (n - row * width) + m;
  to[c] = laplacian_at(from[c], from[c - 1], from[c + 1], from[c - pitch], from[c + pitch]);
}

/// As laplacian_1d; grid (x, y, nz).
extern "C" __global__ void laplacian_2d(const TYPE* __restrict__ from, TYPE* __restrict__ to, int pitch,
                                        int rows, int m) {
  const int i = m + blockIdx.x * blockDim.x + threadIdx.x, j = m + blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= pitch - m || j >= rows - m) return;
  const std::size_t c = (std::size_t(blockIdx.z) * rows + j) * pitch + i;
  to[c] = laplacian_at(from[c], from[c - 1], from[c + 1], from[c - pitch], from[c + pitch]);
}

/// As laplacian_2d, with a block's points in shared memory; at its edge neighbours come from global memory
/// (the work's Algorithm 2).
extern "C" __global__ void laplacian_shared(const TYPE* __restrict__ from, TYPE* __restrict__ to, int pitch,
                                            int rows, int m) {
  __shared__ TYPE tile[TILE_ROWS][TILE_COLUMNS];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = m + blockIdx.x * TILE_COLUMNS + tx, j = m + blockIdx.y * TILE_ROWS + ty;
  const bool inside = i < pitch - m && j < rows - m;
  const std::size_t c = (std::size_t(blockIdx.z) * rows + j) * pitch + i;
  if (inside) tile[ty][tx] = from[c];
  __syncthreads();
  if (!inside) return;
  // The domain's last points are edge points, too: the threads beyond them have loaded nothing.
  const bool west = tx > 0, east = tx + 1 < TILE_COLUMNS && i + 1 < pitch - m;
  const bool south = ty > 0, north = ty + 1 < TILE_ROWS && j + 1 < rows - m;
  to[c] =
      laplacian_at(tile[ty][tx], west ? tile[ty][tx - 1] : from[c - 1], east ? tile[ty][tx + 1] : from[c + 1],
                   south ? tile[ty - 1][tx] : from[c - pitch], north ? tile[ty + 1][tx] : from[c + pitch]);
}

/// Updates all halo cells of a field; grid (cells, nz).
extern "C" __global__ void halo_update(TYPE* f, int nx, int ny, int h) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, pitch = nx + 2 * h;
  if (n >= parity::diffusion::halo_cells(nx, ny, h)) return;
  const auto cell = parity::diffusion::halo_cell(n, nx, ny, h);
  TYPE* const plane = f + std::size_t(blockIdx.y) * pitch * (ny + 2 * h);
  plane[std::size_t(cell.row) * pitch + cell.column] =
      plane[std::size_t(cell.from_row) * pitch + cell.from_column];
}

/// On entry, out holds the Laplacian of the Laplacian; it becomes the updated field; grid (x, y, nz).
extern "C" __global__ void field_update(const TYPE* __restrict__ in, TYPE* __restrict__ out, int nx, int ny,
                                        int h, TYPE alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const std::size_t c = (std::size_t(blockIdx.z) * (ny + 2 * h) + h + j) * (nx + 2 * h) + h + i;
  out[c] = parity::diffusion::update(in[c], alpha, out[c]);
}

/// Both Laplacians and the update as one 13-point sum; one thread per point of a flat range.
extern "C" __global__ void fused_1d(const TYPE* __restrict__ in, TYPE* __restrict__ out, int points, int nx,
                                    int ny, int h, TYPE alpha) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= points) return;
  const int pitch = nx + 2 * h, row = n / nx, k = row / ny;
  const std::size_t c = (std::size_t(k) * (ny + 2 * h) + (row - k * ny) + h) * pitch + (n - row * nx) + h;
  out[c] = parity::diffusion::update_at(alpha, FlatNeighbours<TYPE>{in + c, pitch});
}

/// As fused_1d; grid (x, y, nz).
extern "C" __global__ void fused_2d(const TYPE* __restrict__ in, TYPE* __restrict__ out, int nx, int ny,
                                    int h, TYPE alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const int pitch = nx + 2 * h;
  const std::size_t c = (std::size_t(blockIdx.z) * (ny + 2 * h) + h + j) * pitch + h + i;
  out[c] = parity::diffusion::update_at(alpha, FlatNeighbours<TYPE>{in + c, pitch});
}

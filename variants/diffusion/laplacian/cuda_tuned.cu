// SPDX-License-Identifier: BSD-3-Clause
// laplacian, CUDA, tuned: a flat grid of blocks computes tiles of compile-time size, several rows per thread;
// the host prepares the divisions.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

/// One block per tile: along x, then along y, then through the planes.
template <class Tile, class T>
__global__ void __launch_bounds__(Tile::threads, Tile::template least_teams<T>())
    laplacian_of_tiles(Field<const T> from, Field<T> to, int ny, int nx, FastDivide by_row,
                       FastDivide by_plane) {
  const unsigned team = blockIdx.x, thread = threadIdx.x;
  const unsigned k = by_plane(team), tile = by_plane.remainder(team, k), row = by_row(tile);
  const int i = int(by_row.remainder(tile, row) * Tile::tile_width + thread % Tile::tile_width);
  int j = int((row * Tile::tile_height + thread / Tile::tile_width) * Tile::rows);
  if (i >= nx) return;
  if (j + Tile::rows <= ny) {
    // Compute all values before the first store: rows then share loads, and loads overlap.
    T values[Tile::rows];
    PARITY_UNROLL
    for (int u = 0; u < Tile::rows; ++u) values[u] = laplacian_at(from.around(int(k), j + u, i));
    PARITY_UNROLL
    for (int u = 0; u < Tile::rows; ++u) to(int(k), j + u, i) = values[u];
  } else {
    PARITY_UNROLL_BY(1)
    for (; j < ny; ++j) to(int(k), j, i) = laplacian_at(from.around(int(k), j, i));
  }
}

}  // namespace

template <class T>
void LaplacianOfTiles::apply_laplacian(const Fields<T>& f, const Tuning& tuning, Field<const T> from,
                                       Field<T> to) {
  const int ny = from.rows - 2 * from.margin, nx = from.pitch - 2 * from.margin;
  TileConfigs::dispatch(tuning, [&](auto config) {
    using Tile = decltype(config);
    const std::int64_t across = ceil_divide(nx, Tile::tile_width),
                       down = ceil_divide(ny, Tile::tile_height * Tile::rows);
    laplacian_of_tiles<Tile><<<unsigned(across * down * f.p.nz), Tile::threads, 0, f.stream>>>(
        from, to, ny, nx, FastDivide(across), FastDivide(across * down));
  });
}

template void LaplacianOfTiles::apply_laplacian(const Fields<float>&, const Tuning&, Field<const float>,
                                                Field<float>);
template void LaplacianOfTiles::apply_laplacian(const Fields<double>&, const Tuning&, Field<const double>,
                                                Field<double>);

}  // namespace parity::cuda

namespace parity::diffusion::laplacian {

Entry cuda_tuned() {
  return cuda::with_steps<cuda::TwoStage, cuda::LaplacianOfTiles>(cuda::with_tiles(algorithm()));
}

}  // namespace parity::diffusion::laplacian

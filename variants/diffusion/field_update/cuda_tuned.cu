// SPDX-License-Identifier: BSD-3-Clause
// field_update, CUDA, tuned: a flat grid of blocks updates tiles of compile-time size, several rows per
// thread; the host prepares the divisions. The halo update is the one common to all variants.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::diffusion::field_update {
namespace {

using namespace parity::cuda;

/// On entry, out holds the Laplacian of the Laplacian; it becomes the updated field. One block per tile.
template <class Tile, class T>
__global__ void __launch_bounds__(Tile::threads, Tile::template least_teams<T>())
    update_tiles(Field<const T> in, Field<T> out, int ny, int nx, T alpha, FastDivide by_row,
                 FastDivide by_plane) {
  const unsigned team = blockIdx.x, thread = threadIdx.x;
  const unsigned k = by_plane(team), tile = by_plane.remainder(team, k), row = by_row(tile);
  const int i = int(by_row.remainder(tile, row) * Tile::tile_width + thread % Tile::tile_width);
  int j = int((row * Tile::tile_height + thread / Tile::tile_width) * Tile::rows);
  if (i >= nx) return;
  const auto at = [&](int y) { return in.offset(int(k), y) + unsigned(i); };
  if (j + Tile::rows <= ny) {
    T values[Tile::rows];
    PARITY_UNROLL
    for (int u = 0; u < Tile::rows; ++u) values[u] = update(in.data[at(j + u)], alpha, out.data[at(j + u)]);
    PARITY_UNROLL
    for (int u = 0; u < Tile::rows; ++u) out.data[at(j + u)] = values[u];
  } else {
    PARITY_UNROLL_BY(1)
    for (; j < ny; ++j) out.data[at(j)] = update(in.data[at(j)], alpha, out.data[at(j)]);
  }
}

struct FieldUpdate : LaplacianOfTiles {
  template <class T>
  static void update_field(const Fields<T>& f, const Tuning& tuning, Field<const T> in, Field<T> out) {
    const T alpha = T(f.p.alpha);
    const int ny = int(f.p.ny), nx = int(f.p.nx);
    TileConfigs::dispatch(tuning, [&](auto config) {
      using Tile = decltype(config);
      const std::int64_t across = ceil_divide(nx, Tile::tile_width),
                         down = ceil_divide(ny, Tile::tile_height * Tile::rows);
      update_tiles<Tile><<<unsigned(across * down * f.p.nz), Tile::threads, 0, f.stream>>>(
          in, out, ny, nx, alpha, FastDivide(across), FastDivide(across * down));
    });
  }

  template <class T>
  static void update_halo(const Fields<T>& f, T* field) {
    f.update_halo(field);
  }
};

}  // namespace

Entry cuda_tuned() { return with_steps<TwoStage, FieldUpdate>(with_tiles(algorithm())); }

}  // namespace parity::diffusion::field_update

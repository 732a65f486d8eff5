// SPDX-License-Identifier: BSD-3-Clause
// What the three variants with a tile of the field in shared memory share: all but the kernel.
#pragma once
#include "diffusion/shared_tile.hpp"
#include "two_stage.cuh"

namespace parity::cuda {

/// Laplacian of the points of each plane but for a margin; grid (x, y, nz), dynamic shared memory.
template <class T>
using TileKernel = void (*)(const T* from, T* to, int pitch, int rows, int margin);

/// ring: points around a block's tile that it keeps in shared memory; overlap: points that neighbouring
/// blocks share in each direction.
template <class T>
void launch_tiles(const Fields<T>& f, TileKernel<T> kernel, dim3 block, unsigned ring, unsigned overlap,
                  const T* from, T* to, int m) {
  const Problem& p = f.p;
  const std::size_t bytes = sizeof(T) * (block.x + 2 * ring) * (block.y + 2 * ring);
  kernel<<<plane_grid(p.pitch() - 2 * m, p.rows() - 2 * m, p.nz, block, overlap), block, bytes, f.stream>>>(
      from, to, int(p.pitch()), int(p.rows()), m);
  PARITY_CUDA(cudaGetLastError());
}

/// A tile of shared_tile.hpp a block.
template <class Tiles, int least>
__global__ void __launch_bounds__(Tiles::threads, least) tile_blocks(Tiles tiles) {
  __shared__ typename Tiles::Value tile[Tiles::points];
  const typename Tiles::Share share(tiles, tile, int(blockIdx.x), int(threadIdx.x));
  share.load();
  __syncthreads();
  share.compute();
}

using SharedTiles = SharedTilesAs<Forms>;

/// Of SharedTiles.
template <TileBoundary boundary, class T>
void launch_shared_tiles(const Fields<T>& f, const Tuning& tuning, const T* from, T* to, int m) {
  const Problem& p = f.p;
  SharedTiles::with(tuning, [&](auto form) {
    using Tiles = SharedTile<T, boundary, decltype(form)>;
    tile_blocks<Tiles, decltype(form)::least>
        <<<unsigned(Tiles::teams(p.nz, p.pitch(), p.rows(), m)), Tiles::threads, 0, f.stream>>>(
            Tiles(from, to, p.pitch(), p.rows(), m));
    PARITY_CUDA(cudaGetLastError());
  });
}

template <template <class> class Laplacian>
Entry shared_tile_entry() {
  Entry e = elementary_entry<Laplacian>(
      joined(SharedTiles::names(), {"8x32", "4x32", "16x32", "8x64", "4x128"}), tile_axes);
  e.refuse = refuse_tile<SharedTiles>;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::cuda

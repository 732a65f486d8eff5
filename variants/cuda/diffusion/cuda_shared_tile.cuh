// SPDX-License-Identifier: BSD-3-Clause
// What the three variants with a tile of the field in shared memory share: all but the kernel.
#pragma once
#include "cuda_two_stage.cuh"

namespace parity::cuda {

/// Laplacian of the points of each plane but for a margin; grid (x, y, nz), dynamic shared memory.
template <class T>
using TileKernel = void (*)(const T* from, T* to, int pitch, int rows, int margin);

/// ring: points around a block's tile that it keeps in shared memory; overlap: points that neighbouring
/// blocks share in each direction.
template <class T>
class SharedTile : public TwoStage<T> {
 public:
  SharedTile(const Problem& p, const Tuning& t, TileKernel<T> kernel, unsigned ring, unsigned overlap)
      : TwoStage<T>(p), block_(block_of(t)), kernel_(kernel), ring_(ring), overlap_(overlap) {}

 protected:
  void form_laplacian(const T* from, T* to, int m) override {
    const Problem& p = this->p_;
    const std::size_t bytes = sizeof(T) * (block_.x + 2 * ring_) * (block_.y + 2 * ring_);
    kernel_<<<plane_grid(p.pitch() - 2 * m, p.rows() - 2 * m, p.nz, block_, overlap_), block_, bytes,
              this->stream_>>>(from, to, int(p.pitch()), int(p.rows()), m);
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  dim3 block_;
  TileKernel<T> kernel_;
  unsigned ring_, overlap_;
};

template <template <class> class V>
Entry shared_tile_entry() {
  Entry e = two_stage_entry<V>({"8x32", "4x32", "16x32", "8x64", "4x128"}, "rows x columns of a block");
  e.refuse = refuse_grid;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::cuda

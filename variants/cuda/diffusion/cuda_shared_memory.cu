// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-shared-memory: the Laplacian of tiles in shared memory; threads at a tile's edge read their
// outer neighbours from global memory (the first study's Algorithm 2). Twin of kokkos-shared-memory.
#include "cuda_two_stage.cuh"

namespace parity::cuda {
namespace {

/// Grid (x, y, nz); one shared value a thread.
template <class T>
__global__ void laplacian_shared(const T* __restrict__ from, T* __restrict__ to, int pitch, int rows, int m) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  const int tx = threadIdx.x, ty = threadIdx.y, stride = blockDim.x;
  const int i = m + blockIdx.x * blockDim.x + tx, j = m + blockIdx.y * blockDim.y + ty;
  const bool inside = i < pitch - m && j < rows - m;
  const std::size_t c = (std::size_t(blockIdx.z) * rows + j) * pitch + i;
  T* const own = tile + ty * stride + tx;
  if (inside) *own = from[c];
  __syncthreads();
  if (!inside) return;
  // The last points of the domain are edge points too: the threads beyond them have loaded nothing.
  const bool east = tx + 1 < int(blockDim.x) && i + 1 < pitch - m,
             north = ty + 1 < int(blockDim.y) && j + 1 < rows - m;
  if (tx > 0 && ty > 0 && east && north)
    to[c] = laplacian(*own, own[-1], own[1], own[-stride], own[stride]);
  else
    to[c] = laplacian(*own, tx > 0 ? own[-1] : from[c - 1], east ? own[1] : from[c + 1],
                      ty > 0 ? own[-stride] : from[c - pitch], north ? own[stride] : from[c + pitch]);
}

template <class T>
class SharedMemory : public TwoStage<T> {
 public:
  SharedMemory(const Problem& p, const Tuning& t) : TwoStage<T>(p), block_(block_of(t)) {}

 protected:
  void form_laplacian(const T* from, T* to, int m) override {
    const Problem& p = this->p_;
    const int pitch = int(p.pitch()), rows = int(p.rows());
    const dim3 grid(blocks_for(pitch - 2 * m, block_.x), blocks_for(rows - 2 * m, block_.y), unsigned(p.nz));
    const std::size_t bytes = sizeof(T) * (block_.x) * (block_.y);
    laplacian_shared<<<grid, block_, bytes, this->stream_>>>(from, to, pitch, rows, m);
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  dim3 block_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_shared_memory() {
  Entry e = cuda::two_stage_entry<cuda::SharedMemory>({"8x32", "4x32", "16x32", "8x64", "4x128"},
                                                      "rows x columns of a block");
  e.refuse = cuda::refuse_grid;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-shared-memory-overlapping: the Laplacian of overlapping tiles in shared memory; only the
// threads inside a block's edge compute. Twin of kokkos-shared-memory-overlapping.
#include "cuda_two_stage.cuh"

namespace parity::cuda {
namespace {

/// Grid (x, y, nz); every thread loads a point, those inside the block's edge compute one.
template <class T>
__global__ void laplacian_shared(const T* __restrict__ from, T* __restrict__ to, int pitch, int rows, int m) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const tile = reinterpret_cast<T*>(memory);
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int i = m - 1 + blockIdx.x * (width - 2) + tx, j = m - 1 + blockIdx.y * (height - 2) + ty;
  const std::size_t c = (std::size_t(blockIdx.z) * rows + j) * pitch + i;
  T* const own = tile + ty * width + tx;
  if (i <= pitch - m && j <= rows - m) *own = from[c];
  __syncthreads();
  if (tx > 0 && ty > 0 && tx < width - 1 && ty < height - 1 && i < pitch - m && j < rows - m)
    to[c] = laplacian(*own, own[-1], own[1], own[-width], own[width]);
}

template <class T>
class SharedMemoryOverlapping : public TwoStage<T> {
 public:
  SharedMemoryOverlapping(const Problem& p, const Tuning& t) : TwoStage<T>(p), block_(block_of(t)) {}

 protected:
  void form_laplacian(const T* from, T* to, int m) override {
    const Problem& p = this->p_;
    const int pitch = int(p.pitch()), rows = int(p.rows());
    const dim3 grid(blocks_for(pitch - 2 * m, block_.x - 2), blocks_for(rows - 2 * m, block_.y - 2),
                    unsigned(p.nz));
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

Entry cuda_shared_memory_overlapping() {
  Entry e = cuda::two_stage_entry<cuda::SharedMemoryOverlapping>({"8x32", "4x32", "16x32", "8x64", "4x128"},
                                                                 "rows x columns of a block");
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] < 3 || t[1] < 3) return "its tiles need at least 3 x 3 points";
    if (const auto why = cuda::refuse_grid(p, Tuning{{t[0] - 2, t[1] - 2}})) return why;
    return cuda::refuse_grid(p, t);
  };
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// One thread a point, in blocks of two sizes.
#include <parity/cuda.cuh>

#include "stencil7.hpp"

template <class T>
__global__ void sweep(Stencil7 p, const T* in, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
            k = blockIdx.z;
  if (i < p.nx && j < p.ny) out[(std::int64_t(k) * p.ny + j) * p.nx + i] = p.update(in, k, j, i);
}

template <class T>
struct Cuda7 : parity::cuda::Version<Stencil7, T> {
  const T* in = this->input(this->data.in);
  T* out = this->output(this->problem.points());
  void run(const Stencil7& p) {
    const dim3 block(this->tuning[1], this->tuning[0]);
    const dim3 blocks((p.nx + block.x - 1) / block.x, (p.ny + block.y - 1) / block.y, p.nz);
    sweep<<<blocks, block, 0, this->stream>>>(p, in, out);
  }
  auto result() { return out; }
};
PARITY_VERSION(Cuda7, "sweep", first).tunings("rows x columns of a block", {"2x128", "8x32"});

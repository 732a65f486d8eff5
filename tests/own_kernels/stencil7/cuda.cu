// SPDX-License-Identifier: BSD-3-Clause
// One thread per point; the tuned version has two block sizes.
#include <parity/cuda.cuh>

#include "stencil7.hpp"

namespace boxes {

template <class T>
__global__ void sweep(Stencil7 p, Stencil7::Box<const T> in, Stencil7::Box<T> out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
            k = blockIdx.z;
  if (i < p.nx && j < p.ny) out(k, j, i) = p.update(in, k, j, i);
}

template <class T, bool tuned>
struct Cuda7 : parity::cuda::Version<Stencil7, T> {
  const T* in = this->input(this->data.in);
  T* out = this->output(this->problem.points());
  void run(const Stencil7& p) {
    const dim3 block(tuned ? this->tuning[1] : 128, tuned ? this->tuning[0] : 2);
    const dim3 blocks((p.nx + block.x - 1) / block.x, (p.ny + block.y - 1) / block.y, p.nz);
    sweep<<<blocks, block, 0, this->stream>>>(p, p.box(in), p.box(out));
  }
  auto result() { return out; }
};
template <class T>
using Cuda7First = Cuda7<T, false>;
template <class T>
using Cuda7Tuned = Cuda7<T, true>;
PARITY_VERSION(Cuda7First, "sweep", first);
PARITY_VERSION(Cuda7Tuned, "sweep", tuned).tunings("rows x columns of a block", {"2x128", "8x32"});

}  // namespace boxes

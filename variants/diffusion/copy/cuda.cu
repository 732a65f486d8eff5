// SPDX-License-Identifier: BSD-3-Clause
// copy, CUDA, first version: one thread an element.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void kernel(const T* from, T* to, std::int64_t size) {
  const std::int64_t n = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < size) to[n] = from[n];
}

template <class T>
void step(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in, Field<T> out) {
  const std::int64_t size = in.size(p.nz);
  const int block = tuning[0];
  kernel<<<blocks_for(size, block), block, 0, stream>>>(in.data, out.data, size);
}

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::copy {
PARITY_CUDA_VARIANT(cuda, Packed, step,
                    cuda::with_tunings(copy::algorithm(), {"256", "128", "512"}, "threads of a block"))
}  // namespace parity::diffusion::copy

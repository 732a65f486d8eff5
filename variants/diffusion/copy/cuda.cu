// SPDX-License-Identifier: BSD-3-Clause
// copy, CUDA, first version: one thread copies one element.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::diffusion::copy {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void copy_values(const T* from, T* to, std::int64_t size) {
  const std::int64_t n = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < size) to[n] = from[n];
}

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const std::int64_t size = in.size(p.nz);
    const int block = tuning[0];
    copy_values<<<blocks_for(size, block), block, 0, stream>>>(in.data, out.data, size);
  }
};

}  // namespace

Entry cuda() {
  return with_steps<Packed, Step>(with_tunings(algorithm(), {"256", "128", "512"}, "threads of a block"));
}

}  // namespace parity::diffusion::copy

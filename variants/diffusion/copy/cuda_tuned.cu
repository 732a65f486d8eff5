// SPDX-License-Identifier: BSD-3-Clause
// copy, CUDA, tuned: packs of 16 bytes, several a thread.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/tuned.cuh"

namespace parity::cuda {
namespace {

constexpr int threads = 256;

/// The packs of a thread are a block's width apart: every access of a warp is to neighbours.
template <int packs, class T>
__global__ void __launch_bounds__(threads, least_teams(threads, 4 * packs))
    kernel(const Pack<T>* from, Pack<T>* to, std::int64_t size) {
  const std::int64_t first = std::int64_t(blockIdx.x) * (threads * packs) + threadIdx.x;
  if (first + (packs - 1) * threads < size) {
    Pack<T> values[packs];
    PARITY_UNROLL
    for (int u = 0; u < packs; ++u) values[u] = from[first + u * threads];
    PARITY_UNROLL
    for (int u = 0; u < packs; ++u) to[first + u * threads] = values[u];
  } else {
    PARITY_UNROLL_BY(1)
    for (std::int64_t n = first; n < size; n += threads) to[n] = from[n];
  }
}

template <class T>
void step(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in, Field<T> out) {
  const std::int64_t size = in.size(p.nz) / pack_width<T>;
  PackConfigs::dispatch(tuning, [&](auto config) {
    constexpr int packs = decltype(config)::count;
    kernel<packs, T><<<blocks_for(size, threads * packs), threads, 0, stream>>>(
        reinterpret_cast<const Pack<T>*>(in.data), reinterpret_cast<Pack<T>*>(out.data), size);
  });
}

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::copy {
PARITY_CUDA_VARIANT(cuda_tuned, Packed, step, cuda::with_configs<PackConfigs>(copy::algorithm(), pack_axes))
}  // namespace parity::diffusion::copy

// SPDX-License-Identifier: BSD-3-Clause
// copy, CUDA, tuned: one thread copies several packs of 16 bytes.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/tuned.cuh"

namespace parity::diffusion::copy {
namespace {

using namespace parity::cuda;

constexpr int threads = 256;

/// A thread's packs are a block's width apart, so that each access of a warp is contiguous.
template <int packs, class T>
__global__ void __launch_bounds__(threads, least_teams(threads, 4 * packs))
    copy_packs(const Pack<T>* from, Pack<T>* to, std::int64_t size) {
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

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const std::int64_t size = in.size(p.nz) / pack_width<T>;
    PackConfigs::dispatch(tuning, [&](auto config) {
      constexpr int packs = decltype(config)::count;
      copy_packs<packs, T><<<blocks_for(size, threads * packs), threads, 0, stream>>>(
          reinterpret_cast<const Pack<T>*>(in.data), reinterpret_cast<Pack<T>*>(out.data), size);
    });
  }
};

}  // namespace

Entry cuda_tuned() { return with_steps<Packed, Step>(with_configs<PackConfigs>(algorithm(), pack_axes)); }

}  // namespace parity::diffusion::copy

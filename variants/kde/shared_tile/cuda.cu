// SPDX-License-Identifier: BSD-3-Clause
// shared_tile, CUDA: one block per tile of queries, with samples in shared memory.
#include "algorithm.hpp"
#include "backend/cuda/kde/samples.cuh"

namespace parity::kde::shared_tile {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void shared_tile(const T* __restrict__ samples, LibraryTerm<T> term, int packs, T* density,
                            std::int64_t n, double norm) {
  __shared__ Pack<T> stage[stage_packs];
  const int thread = int(threadIdx.x), threads = int(blockDim.x);
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + thread;
  const T q = samples[i < n ? i : n - 1];
  double total = 0;
  for (int at = 0; at < packs; at += stage_packs) {
    const int count = packs - at < stage_packs ? packs - at : stage_packs;
    __syncthreads();
    for (int k = thread; k < count; k += threads)
      stage[k] = reinterpret_cast<const Pack<T>*>(samples)[at + k];
    __syncthreads();
    for (int first = 0; first < count; first += flush_packs) {
      T sum = 0;
#pragma unroll 1
      for (int k = 0; k < flush_packs; ++k) sum = add_pack(term, q, stage[first + k], sum);
      total += double(sum);
    }
  }
  if (i < n) density[i] = T(total * norm);
}

template <class T>
struct SharedTile {
  Samples<T> s;
  int threads;
  SharedTile(const Problem& p, const Tuning& t) : s(p), threads(t[0]) {
    s.blocks_resident(shared_tile<T>, threads);
  }
  void operator()() const {
    shared_tile<T><<<blocks_for(s.p.n, threads), unsigned(threads), 0, s.stream>>>(
        s.data(), LibraryTerm<T>(s.p.bandwidth), int(s.size() / pack_width), s.density(), s.p.n, s.p.norm());
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace

Entry cuda() { return with_sum<SharedTile>(with_block_widths(algorithm())); }

}  // namespace parity::kde::shared_tile

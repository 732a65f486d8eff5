// SPDX-License-Identifier: BSD-3-Clause
// direct, CUDA, tuned: one thread per query loops over the samples, four at a time.
#include "algorithm.hpp"
#include "backend/cuda/kde/samples.cuh"

namespace parity::kde::direct {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void direct_tuned(const T* __restrict__ samples, LibraryTerm<T> term, int count, T* density,
                             std::int64_t n, double norm) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const auto* const packs = reinterpret_cast<const Pack<T>*>(samples);
  const T q = samples[i];
  double total = 0;
  for (int first = 0; first < count; first += flush_packs) {
    T sum = 0;
#pragma unroll 1
    for (int k = 0; k < flush_packs; ++k) sum = add_pack(term, q, packs[first + k], sum);
    total += double(sum);
  }
  density[i] = T(total * norm);
}

template <class T>
struct DirectTuned {
  Samples<T> s;
  int width;
  DirectTuned(const Problem& p, const Tuning& t) : s(p), width(t[0]) {
    s.blocks_resident(direct_tuned<T>, width);
  }
  void operator()() const {
    direct_tuned<T><<<blocks_for(s.p.n, width), unsigned(width), 0, s.stream>>>(
        s.data(), LibraryTerm<T>(s.p.bandwidth), int(s.size() / pack_width), s.density(), s.p.n, s.p.norm());
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace

Entry cuda_tuned() { return with_sum<DirectTuned>(with_block_widths(algorithm())); }

}  // namespace parity::kde::direct

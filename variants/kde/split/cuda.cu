// SPDX-License-Identifier: BSD-3-Clause
// split, CUDA, first version: one thread per query and chunk; a second kernel adds the chunks.
#include "algorithm.hpp"
#include "backend/cuda/kde/samples.cuh"

namespace parity::kde::split {
namespace {

using namespace parity::cuda;

constexpr int threads = 256;  ///< per block

template <class T>
__global__ void split_sums(const T* samples, T* sums, int n, int length, LibraryTerm<T> term) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x), c = int(blockIdx.y);
  if (i >= n) return;
  const int last = (c + 1) * length < n ? (c + 1) * length : n;
  const T q = samples[i];
  T sum = 0;
  for (int j = c * length; j < last; ++j) sum += term(q, samples[j]);
  sums[std::int64_t(c) * n + i] = sum;
}

template <class T>
__global__ void split_total(const T* sums, T* density, int n, int chunks, double norm) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  double total = 0;
  for (int c = 0; c < chunks; ++c) total += double(sums[std::int64_t(c) * n + i]);
  density[i] = T(total * norm);
}

template <class T>
struct SplitSums {
  Samples<T> s;
  int chunks;
  Buffer<T> sums;  ///< (chunk, query)
  SplitSums(const Problem& p, const Tuning& t) : s(p), chunks(t[0]), sums(p.n * t[0]) {
    s.blocks_resident(split_sums<T>, threads);
  }
  void operator()() const {
    const int n = int(s.p.n), length = (n + chunks - 1) / chunks;
    const unsigned blocks = blocks_for(n, threads);
    split_sums<T><<<dim3(blocks, unsigned(chunks)), threads, 0, s.stream>>>(s.data(), sums.data(), n, length,
                                                                            LibraryTerm<T>(s.p.bandwidth));
    split_total<T><<<blocks, threads, 0, s.stream>>>(sums.data(), s.density(), n, chunks, s.p.norm());
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace

Entry cuda() { return with_sum<SplitSums>(plain_algorithm()); }

}  // namespace parity::kde::split

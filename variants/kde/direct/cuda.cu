// SPDX-License-Identifier: BSD-3-Clause
// direct, CUDA, first version: one thread per query loops over the samples.
#include "algorithm.hpp"
#include "backend/cuda/kde/samples.cuh"

namespace parity::kde::direct {
namespace {

using namespace parity::cuda;

template <class T>
__global__ void direct(const T* samples, T* density, int n, LibraryTerm<T> term, double norm) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const T q = samples[i];
  T sum = 0;
  for (int j = 0; j < n; ++j) sum += term(q, samples[j]);
  density[i] = T(sum * norm);
}

template <class T>
struct Direct {
  Samples<T> s;
  int width;
  Direct(const Problem& p, const Tuning& t) : s(p), width(t[0]) { s.blocks_resident(direct<T>, width); }
  void operator()() const {
    direct<T><<<blocks_for(s.p.n, width), unsigned(width), 0, s.stream>>>(
        s.data(), s.density(), int(s.p.n), LibraryTerm<T>(s.p.bandwidth), s.p.norm());
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace

Entry cuda() { return with_sum<Direct>(with_block_widths(plain_algorithm())); }

}  // namespace parity::kde::direct

// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-register-sum: one query a thread, its sum in a register, the library's exp, samples from global
// memory. Twin of kokkos-range.
#include "backend/cuda/kde/original.cuh"
#include "backend/cuda/kde/register_tile.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void register_sum(const T* __restrict__ samples, LibraryTerm<T> term, int packs, Sink<T> sink) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= sink.n) return;
  const T q[1] = {samples[i]};
  double total[1] = {0};
  add_packs<1, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), packs, total);
  sink.put(0, i, total[0]);
}

template <class T>
struct RegisterSum {
  Samples<T> s;
  int width;
  RegisterSum(const Problem& p, const Tuning& t) : s(p), width(t[0]) {
    s.blocks_resident(register_sum<T>, width);
  }
  void operator()() const {
    register_sum<T><<<blocks_for(s.p.n, width), unsigned(width), 0, s.stream>>>(
        s.data(), LibraryTerm<T>(s.p.bandwidth), int(s.size() / pack_width), s.sink());
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry direct_cuda_tuned() { return cuda::with_sum<cuda::RegisterSum>(cuda::block_width_entry()); }

}  // namespace parity::kde

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-copy: the field copied in each step; the floor of every variant that reads and writes it.
// Twin of kokkos-copy.
#include "stepped.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void copy(const Pack<T>* __restrict__ in, Pack<T>* __restrict__ out, std::int64_t packs) {
  const std::int64_t n = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < packs) out[n] = in[n];
}

template <class T>
struct Copy {
  Fields<T> f;
  int block;
  Copy(const Problem& p, const Tuning& t) : f(Fields<T>::packed(p)), block(t[0]) {}
  void operator()(T* in, T* out) const {
    const std::int64_t packs = f.size() / pack_width<T>;
    copy<<<blocks_for(packs, block), block, 0, f.stream>>>(reinterpret_cast<const Pack<T>*>(in),
                                                           reinterpret_cast<Pack<T>*>(out), packs);
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T*) const {}
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_copy() {
  Entry e = cuda::stepped_entry<cuda::Copy>({"256", "128", "512"}, "threads of a block");
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] > 1024) return "a block has at most 1024 threads";
    return std::nullopt;
  };
  e.floor = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, 0); };
  return e;
}

}  // namespace parity::diffusion

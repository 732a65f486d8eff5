// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-copy: the field copied in each step; the floor of every variant that reads and writes it.
// Twin of kokkos-copy.
#include "backend/cuda/diffusion/stepped.cuh"

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
  Tuning tuning;
  Copy(const Problem& p, const Tuning& t) : f(Fields<T>::packed(p)), tuning(t) {}
  void operator()(T* in, T* out) const {
    const std::int64_t packs = f.size() / pack_width<T>;
    const CopyLine<Pack<T>> line{reinterpret_cast<const Pack<T>*>(in), reinterpret_cast<Pack<T>*>(out)};
    if (is_flat_form(tuning)) {
      PackForms::with(tuning, [&](auto form) { for_line<decltype(form)::count>(f.stream, packs, line); });
      return;
    }
    const int block = tuning[0];
    copy<<<blocks_for(packs, block), block, 0, f.stream>>>(line.from, line.to, packs);
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T*) const {}
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry copy_cuda() {
  Entry e = cuda::stepped_entry<cuda::Copy>(
      cuda::joined(cuda::PackForms::names(), {"256", "128", "512"}),
      "packs of 16 bytes a thread x threads of a block, or threads of a block of one pack a thread");
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (cuda::is_flat_form(t)) return cuda::PackForms::refuse(t);
    if (t[0] > 1024) return "a block has at most 1024 threads";
    return std::nullopt;
  };
  e.floor = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, 0); };
  return e;
}

}  // namespace parity::diffusion

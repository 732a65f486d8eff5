// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-empty: a kernel that does nothing in each step; the floor of everything that launches. Twin
// of kokkos-empty.
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::cuda {
namespace {

__global__ void nothing() {}

template <class T>
struct Empty {
  Fields<T> f;
  Empty(const Problem& p, const Tuning&) : f(Fields<T>::periodic(p)) {}
  void operator()(T*, T*) const {
    nothing<<<1, 1, 0, f.stream>>>();
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T*) const {}
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry empty_cuda() {
  Entry e = cuda::stepped_entry<cuda::Empty, /*writes=*/false>({}, "");
  e.floor = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 0, 0); };
  return e;
}

}  // namespace parity::diffusion

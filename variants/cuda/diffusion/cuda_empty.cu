// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-empty: a kernel that does nothing in each step; the floor of everything that launches. Twin
// of kokkos-empty.
#include "cuda_steps.cuh"

namespace parity::cuda {
namespace {

__global__ void nothing() {}

template <class T>
class Empty : public CudaSteps<T> {
 public:
  Empty(const Problem& p, const Tuning&) : CudaSteps<T>(p, 0) {}
  void advance() override {
    CudaSteps<T>::advance();
    this->result_ = 0;  // nothing was written anywhere
  }

 protected:
  void launch_step(T*, T*) override {
    nothing<<<1, 1, 0, this->stream_>>>();
    PARITY_CUDA(cudaGetLastError());
  }
  /// Even the copy of graph-copy must leave field 0 alone.
  void copy_back() override { launch_step(nullptr, nullptr); }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_empty() {
  Entry e = cuda::stepped_entry<cuda::Empty>({}, "");
  e.computes = Computes::identity;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 0, 0); };
  return e;
}

}  // namespace parity::diffusion

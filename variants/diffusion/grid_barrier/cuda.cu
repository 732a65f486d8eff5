// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-grid-barrier: one cooperative launch for all steps; warps take column strips in turn, and a
// grid barrier ends each step. Twin of kokkos-grid-barrier.
#include <cooperative_groups.h>

#include <algorithm>

#include "backend/cuda/current_device.cuh"
#include "diffusion/column_strip.hpp"
#include "runtime/error.hpp"
#include "backend/cuda/diffusion/whole.cuh"

namespace parity::cuda {
namespace {

constexpr int rows = 8;  ///< of a strip

/// No __restrict__: what is input in one step was output in the step before, and the read-only cache must not
/// serve it.
template <bool whole, class T>
__global__ void __launch_bounds__(512)
    all_steps(T* even, T* odd, AllStrips<rows, whole, T> all, long long steps) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned stride = gridDim.x * blockDim.x / 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (long long s = 0; s < steps; ++s) {
    all.step(s % 2 == 0 ? even : odd, s % 2 == 0 ? odd : even, first, stride, threadIdx.x & 31);
    grid.sync();
  }
}

template <class T>
std::int64_t strips_of(const Problem& p) {
  return AllStrips<rows, true, T>::count(p.nx, p.ny, p.nz);
}

template <class T>
class Cooperative : public WholeRun<T> {
 public:
  Cooperative(const Problem& p, const Tuning& t)
      : WholeRun<T>([&p] { return Fields<T>::packed(p); }), block_(t[0]) {
    kernel_ = whole() ? reinterpret_cast<const void*>(all_steps<true, T>)
                      : reinterpret_cast<const void*>(all_steps<false, T>);
    // A grid that is not resident as a whole would wait for itself.
    int a_multiprocessor = 0;
    PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel_, block_, 0));
    if (a_multiprocessor == 0)
      throw runtime::CannotRunError("cuda-grid-barrier: a block of " + to_string(t) +
                                    " threads does not fit this GPU's multiprocessors; give fewer");
    grid_ = unsigned(
        std::min<std::int64_t>(std::int64_t(a_multiprocessor) * attribute(cudaDevAttrMultiProcessorCount),
                               (strips_of<T>(p) * 32 + block_ - 1) / block_));
  }
  void advance() override {
    whole() ? launch<true>() : launch<false>();
    result_ = int(f_.p.steps % 2);
  }

 private:
  using WholeRun<T>::f_;
  using WholeRun<T>::result_;

  bool whole() const { return f_.p.nx % pack_width<T> == 0; }
  template <bool whole_packs>
  void launch() {
    const Problem& p = f_.p;
    T *even = f_[0], *odd = f_[1];
    AllStrips<rows, whole_packs, T> all(p.nx, p.ny, p.nz, f_.pitch, p.alpha);
    long long steps = p.steps;
    void* arguments[] = {&even, &odd, &all, &steps};
    PARITY_CUDA(
        cudaLaunchCooperativeKernel(kernel_, dim3(grid_), dim3(unsigned(block_)), arguments, 0, f_.stream));
  }

  int block_;
  const void* kernel_;
  unsigned grid_ = 0;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry grid_barrier_cuda() {
  Entry e;
  e.tunings = {"128", "256", "512"};
  e.tuning_axes = "threads of a block";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (cuda::strips_of<double>(p) >= runtime::FastDivide::limit)
      return "more than 2^31 - 1 strips: their indices have 32 bits";
    if (t[0] % 32 != 0 || t[0] > 512) return "a block needs whole warps of 32, 512 threads at most";
    if (!cuda::attribute(cudaDevAttrCooperativeLaunch)) return "this GPU cannot launch cooperative kernels";
    return std::nullopt;
  };
  e.model = [](const Problem& p) {
    harness::CostModel m = cost_per_step(p, 1, 2, direct_flops);
    m.launches = 1;
    m.barriers = true;
    return m;
  };
  return with_factories<cuda::Cooperative>(e);
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-cooperative: one cooperative launch for all steps; warps take column strips in turn, and a
// grid barrier ends each step. Kokkos has no grid barrier, so it has no portable twin.
#include <cooperative_groups.h>

#include <algorithm>

#include "cuda/runtime/current_device.cuh"
#include "diffusion/column_strip.hpp"
#include "runtime/error.hpp"
#include "runtime/fast_divide.hpp"
#include "whole.cuh"

namespace parity::cuda {
namespace {

/// No __restrict__: what is input in one step was output in the step before, and the read-only cache must not
/// serve it.
template <int rows, bool whole, class T>
__global__ void __launch_bounds__(512)
    all_steps(T* even, T* odd, int nx, int ny, int pitch, T alpha, long long steps, unsigned strips,
              runtime::FastDivide by_warps, runtime::FastDivide by_chunks) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned stride = gridDim.x * blockDim.x / 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x & 31;
  for (long long s = 0; s < steps; ++s) {
    const T* const in = s % 2 == 0 ? even : odd;
    T* const out = s % 2 == 0 ? odd : even;
    for (unsigned n = first; n < strips; n += stride) {
      const unsigned row = by_warps(n), warp = by_warps.remainder(n, row), k = by_chunks(row),
                     chunk = by_chunks.remainder(row, k);
      const std::size_t plane = std::size_t(k) * ny * pitch;
      update_strip<rows, whole>(in + plane, out + plane, nx, ny, pitch, int(warp), lane, int(chunk) * rows,
                                alpha);
    }
    grid.sync();
  }
}

constexpr int rows = 8;  ///< of a strip

std::int64_t chunks_of(const Problem& p) { return (p.ny + rows - 1) / rows; }
template <class T>
std::int64_t strips_of(const Problem& p) {
  return std::int64_t(warps_in_row(packs_in_row<T>(p.nx))) * chunks_of(p) * p.nz;
}

template <class T>
class Cooperative : public WholeRun<T> {
 public:
  Cooperative(const Problem& p, const Tuning& t)
      : WholeRun<T>([&p] { return Fields<T>::packed(p); }), block_(t[0]) {
    kernel_ = p.nx % pack_width<T> == 0 ? all_steps<rows, true, T> : all_steps<rows, false, T>;
    // A grid that is not resident as a whole would wait for itself.
    int a_multiprocessor = 0;
    PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel_, block_, 0));
    if (a_multiprocessor == 0)
      throw runtime::CannotRunError("cuda-cooperative: a block of " + to_string(t) +
                                    " threads does not fit this GPU's multiprocessors; give fewer");
    grid_ = unsigned(
        std::min<std::int64_t>(std::int64_t(a_multiprocessor) * attribute(cudaDevAttrMultiProcessorCount),
                               (strips_of<T>(p) * 32 + block_ - 1) / block_));
  }
  void advance() override {
    const Problem& p = f_.p;
    T *even = f_[0], *odd = f_[1];
    int nx = int(p.nx), ny = int(p.ny), pitch = int(f_.pitch);
    T alpha = T(p.alpha);
    long long steps = p.steps;
    unsigned strips = unsigned(strips_of<T>(p));
    runtime::FastDivide by_warps(warps_in_row(packs_in_row<T>(p.nx))), by_chunks(chunks_of(p));
    void* arguments[] = {&even, &odd, &nx, &ny, &pitch, &alpha, &steps, &strips, &by_warps, &by_chunks};
    PARITY_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel_), dim3(grid_),
                                            dim3(unsigned(block_)), arguments, 0, f_.stream));
    result_ = int(p.steps % 2);
  }

 private:
  using WholeRun<T>::f_;
  using WholeRun<T>::result_;
  using Kernel = void (*)(T*, T*, int, int, int, T, long long, unsigned, runtime::FastDivide,
                          runtime::FastDivide);
  int block_;
  Kernel kernel_;
  unsigned grid_ = 0;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_cooperative() {
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

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-cooperative: one cooperative launch for all steps; warps take column strips in turn, and a
// grid barrier ends each step. Kokkos has no grid barrier, so it has no portable twin.
#include <cooperative_groups.h>

#include <algorithm>

#include "column_strip.cuh"
#include "cuda/runtime/current_device.cuh"
#include "fields.cuh"
#include "runtime/error.hpp"

namespace parity::cuda {
namespace {

/// No __restrict__: what is input in one step was output in the step before, and the read-only cache must not
/// serve it.
template <int rows, bool whole, class T>
__global__ void __launch_bounds__(512)
    all_steps(T* even, T* odd, int nx, int ny, int nz, int pitch, T alpha, long long steps) {
  const auto grid = cooperative_groups::this_grid();
  const int warps = warps_in_row(packs_in_row<T>(nx)), chunks = (ny + rows - 1) / rows;
  const long long strips = (long long)(warps)*chunks * nz, stride = (long long)(gridDim.x) * blockDim.x / 32;
  for (long long s = 0; s < steps; ++s) {
    const T* const in = s % 2 == 0 ? even : odd;
    T* const out = s % 2 == 0 ? odd : even;
    for (long long n = ((long long)(blockIdx.x) * blockDim.x + threadIdx.x) / 32; n < strips; n += stride) {
      const int warp = int(n % warps), chunk = int(n / warps % chunks);
      const std::size_t first = std::size_t(n / warps / chunks) * ny * pitch;
      update_strip<rows, whole>(in + first, out + first, nx, ny, pitch, warp, chunk * rows, alpha);
    }
    grid.sync();
  }
}

template <class T>
class Cooperative : public Variant<T> {
 public:
  Cooperative(const Problem& p, const Tuning& t) : f_(Fields<T>::packed(p)), block_(t[0]) {
    kernel_ = p.nx % pack_width<T> == 0 ? all_steps<rows, true, T> : all_steps<rows, false, T>;
    // A grid that is not resident as a whole would wait for itself.
    int a_multiprocessor = 0;
    PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel_, block_, 0));
    const std::int64_t warps =
        std::int64_t(warps_in_row(packs_in_row<T>(p.nx))) * ((p.ny + rows - 1) / rows) * p.nz;
    if (a_multiprocessor == 0)
      throw runtime::CannotRunError("cuda-cooperative: a block of " + to_string(t) +
                                    " threads does not fit this GPU's multiprocessors; give fewer");
    grid_ = unsigned(
        std::min<std::int64_t>(std::int64_t(a_multiprocessor) * attribute(cudaDevAttrMultiProcessorCount),
                               (warps * 32 + block_ - 1) / block_));
  }
  void load(const T* field) override { f_.load(field); }
  void advance() override {
    const Problem& p = f_.p;
    T *even = f_[0], *odd = f_[1];
    int nx = int(p.nx), ny = int(p.ny), nz = int(p.nz), pitch = int(f_.pitch);
    T alpha = T(p.alpha);
    long long steps = p.steps;
    void* arguments[] = {&even, &odd, &nx, &ny, &nz, &pitch, &alpha, &steps};
    PARITY_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel_), dim3(grid_),
                                            dim3(unsigned(block_)), arguments, 0, f_.stream));
  }
  void synchronise() override { f_.synchronise(); }
  void store(T* padded) override { f_.store(int(f_.p.steps % 2), padded); }
  void store_interior(T* field) override { f_.store_interior(int(f_.p.steps % 2), field); }
  runtime::DeviceClock* device_clock() override { return f_.clock(); }

 private:
  static constexpr int rows = 8;
  using Kernel = void (*)(T*, T*, int, int, int, int, T, long long);
  Fields<T> f_;
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
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
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

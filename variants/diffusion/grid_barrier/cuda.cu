// SPDX-License-Identifier: BSD-3-Clause
// grid_barrier, CUDA: one cooperative launch runs all steps; each warp takes one strip of columns after the
// other, and a grid barrier ends each step.
#include <cooperative_groups.h>

#include <algorithm>

#include "algorithm.hpp"
#include "backend/cuda/current_device.cuh"
#include "backend/cuda/diffusion/fields.cuh"
#include "runtime/error.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion::grid_barrier {
namespace {

using namespace parity::cuda;

/// Runs all steps. whole: nx is a multiple of the pack, so that no pack crosses the periodic seam. No
/// __restrict__: the input of a step is the output of the step before, which the read-only cache must not
/// serve.
template <bool whole, class T>
__global__ void __launch_bounds__(512) all_steps(T* even, T* odd, Strips strips, T alpha, long long steps) {
  constexpr int width = pack_width<T>;
  const auto grid = cooperative_groups::this_grid();
  const unsigned warps = gridDim.x * blockDim.x / 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x & 31, nx = strips.nx, ny = strips.ny, pitch = strips.pitch,
            packs = packs_in_row<T>(nx);
  for (long long s = 0; s < steps; ++s) {
    const T* const in = s % 2 == 0 ? even : odd;
    T* const out = s % 2 == 0 ? odd : even;
    for (unsigned n = first; n < strips.count; n += warps) {
      const unsigned row = strips.by_warps(n), warp = strips.by_warps.remainder(n, row),
                     k = strips.by_chunks(row), chunk = strips.by_chunks.remainder(row, k);
      const int j0 = int(chunk) * rows, pack = int(warp) * warp_packs + lane - 1;
      const T* const plane = in + std::size_t(k) * ny * pitch;
      T* const result = out + std::size_t(k) * ny * pitch;
      ColumnStrip<T, rows> strip;
      if constexpr (whole) {
        const int i0 = (pack + packs) % packs * width;
        for_input_rows<rows>(j0, ny, [&](int r, int j) {
          const auto centre = *reinterpret_cast<const Pack<T>*>(plane + std::size_t(j) * pitch + i0);
          PARITY_UNROLL
          for (int i = 0; i < width; ++i) strip.at[r][i + 2] = centre.v[i];
        });
      } else {
        int column[width];
        PARITY_UNROLL
        for (int i = 0; i < width; ++i) column[i] = modulo(pack * width + i, nx);
        for_input_rows<rows>(j0, ny, [&](int r, int j) {
          PARITY_UNROLL
          for (int i = 0; i < width; ++i) strip.at[r][i + 2] = plane[std::size_t(j) * pitch + column[i]];
        });
      }
      const bool computes = lane > 0 && lane < 31 && pack < packs;
      update_rows(
          strip, alpha,
          [&](int r) {  // the two columns on either side
            PARITY_UNROLL
            for (int i = 0; i < 2; ++i) {
              strip.at[r][i] = runtime::from_lane_below(strip.at[r][width + i]);
              strip.at[r][width + 2 + i] = runtime::from_lane_above(strip.at[r][2 + i]);
            }
          },
          [&](int u, const Pack<T>& values) {
            if (computes && j0 + u < ny)
              *reinterpret_cast<Pack<T>*>(result + std::size_t(j0 + u) * pitch + pack * width) = values;
          });
    }
    grid.sync();
  }
}

template <class T>
class Cooperative : public WholeRun<T> {
 public:
  Cooperative(const Problem& p, const Tuning& t)
      : WholeRun<T>([&p] { return Fields<T>::packed(p); }), block_(t[0]) {
    kernel_ = p.nx % pack_width<T> == 0 ? reinterpret_cast<const void*>(all_steps<true, T>)
                                        : reinterpret_cast<const void*>(all_steps<false, T>);
    // A grid of which some blocks are not resident would wait for itself for ever.
    int a_multiprocessor = 0;
    PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel_, block_, 0));
    if (a_multiprocessor == 0)
      throw runtime::CannotRunError("cuda-grid-barrier: a block of " + to_string(t) +
                                    " threads does not fit this GPU's multiprocessors; give fewer");
    grid_ = unsigned(
        std::min<std::int64_t>(std::int64_t(a_multiprocessor) * attribute(cudaDevAttrMultiProcessorCount),
                               (Strips::count_of<T>(p) * 32 + block_ - 1) / block_));
  }
  void advance() override {
    const Problem& p = f_.p;
    T *even = f_[0], *odd = f_[1], alpha = T(p.alpha);
    Strips strips = Strips::of<T>(p, f_.pitch);
    long long steps = p.steps;
    void* arguments[] = {&even, &odd, &strips, &alpha, &steps};
    PARITY_CUDA(
        cudaLaunchCooperativeKernel(kernel_, dim3(grid_), dim3(unsigned(block_)), arguments, 0, f_.stream));
    result_ = int(p.steps % 2);
  }

 private:
  using WholeRun<T>::f_;
  using WholeRun<T>::result_;

  int block_;
  const void* kernel_;
  unsigned grid_ = 0;
};

}  // namespace

Entry cuda() {
  Entry e = algorithm();
  e.tunings = {"128", "256", "512"};
  e.tuning_axes = "threads of a block";
  e.refuse += [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] % 32 != 0 || t[0] > 512) return "a block needs whole warps of 32, 512 threads at most";
    if (!attribute(cudaDevAttrCooperativeLaunch)) return "this GPU cannot launch cooperative kernels";
    return std::nullopt;
  };
  return with_factories<Cooperative>(e);
}

}  // namespace parity::diffusion::grid_barrier

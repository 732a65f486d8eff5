// SPDX-License-Identifier: BSD-3-Clause
// temporal, CUDA: makes 3 steps a pass in the registers of one warp, which streams down a strip of columns
// with ordinary loads and shuffles; runs on any device and for planes of any size.
#include <vector>

#include "algorithm.hpp"
#include "backend/cuda/current_device.cuh"
#include "lane_pipeline.hpp"
#include "passes.cuh"

namespace parity::cuda {
namespace {

/// steps: 1, 2 or 3; 4 would exceed the registers of a lane. A lane has 32 bytes of columns.
template <class T, int steps_>
struct WarpForm {
  using Value = T;
  static constexpr int columns = 32 / int(sizeof(T)), steps = steps_, width = 32 * columns;
  static constexpr int block = 128, chains = 8;  ///< threads per block; resident warps per multiprocessor
  static constexpr bool deferred = false;
  using Pipeline = LanePipeline<T, columns, steps, deferred>;
  static constexpr int period = Pipeline::held;
  /// Whole lanes, so that all of a lane's columns are stored or none.
  static constexpr int overlap(int steps_of_pass) {
    return (2 * steps_of_pass + columns - 1) / columns * columns;
  }
};

/// Each warp processes one item. whole: a lane's columns never cross the seam of the plane.
template <class Form, bool whole>
__global__ void __launch_bounds__(Form::block)
    warp_temporal(const typename Form::Value* __restrict__ in, typename Form::Value* __restrict__ out,
                  const StreamPass p, const typename Form::Value alpha) {
  using T = typename Form::Value;
  constexpr int P = Form::columns, S = Form::steps, U = Form::period;
  const int lane = threadIdx.x % 32, item = int(blockIdx.x * (Form::block / 32) + threadIdx.x / 32);
  if (item >= p.items) return;
  const StreamItem at(item, p);
  const int beside = lane * P - p.overlap, column = at.tile * p.useful + beside;
  int x = column % p.nx, y = (at.chunk * p.chunk - 2 * p.steps) % p.ny;
  if (x < 0) x += p.nx;
  if (y < 0) y += p.ny;
  const T* const plane = in + std::size_t(at.plane) * p.ny * p.pitch;
  const T* row = plane + std::size_t(y) * p.pitch;
  const int wanted = min(p.chunk, p.ny - at.chunk * p.chunk), rows = wanted + 4 * S;
  const bool stores = beside >= 0 && beside < p.useful && column < p.nx;
  T* to =
      out + (std::ptrdiff_t(at.plane) * p.ny + std::ptrdiff_t(at.chunk) * p.chunk - 4 * S) * p.pitch + column;
  const auto load = [&](T(&v)[P]) {
    if constexpr (whole) {
      read_columns(v, row + x);
    } else {
#pragma unroll
      for (int i = 0; i < P; ++i) {
        int from = x + i;
        while (from >= p.nx) from -= p.nx;
        v[i] = row[from];
      }
    }
    row += p.pitch;
    if (++y == p.ny) {
      y = 0;
      row = plane;
    }
  };
  typename Form::Pipeline pipeline;
  pipeline.clear();
  T ahead[P];
  load(ahead);
#pragma unroll 1
  for (int n = 0; n < rows;) {
#pragma unroll
    for (int u = 0; u < U; ++u, ++n) {
      if (n >= rows) break;
      const int newest = pipeline.newest_of(u);
#pragma unroll
      for (int i = 0; i < P; ++i) pipeline.arriving(newest)[i] = ahead[i];
      load(ahead);
#pragma unroll
      for (int s = 0; s < S; ++s) pipeline.step(s, newest, alpha);
      if (stores && n >= 4 * S) {
        const T(&v)[P] = pipeline.finished(newest);
        if constexpr (whole) {
          write_columns(v, to);
        } else {
#pragma unroll
          for (int i = 0; i < P; ++i)
            if (column + i < p.nx) to[i] = v[i];
        }
      }
      to += p.pitch;
    }
  }
}

template <class T>
struct WarpPasses {
  using Pass = cuda::Pass<T, StreamPass>;
  static Fields<T> fields(const Problem& p, const Tuning&) { return Fields<T>::packed(p); }
  static void before(const Fields<T>&, T*, const StreamPass&) {}
  static std::vector<Pass> passes(const Problem& p, const Tuning&, int pitch, int) {
    std::vector<Pass> all;
    add<3>(all, p, pitch, p.steps / 3);
    add<2>(all, p, pitch, p.steps % 3 / 2);
    add<1>(all, p, pitch, p.steps % 3 % 2);
    return all;
  }

 private:
  template <int steps>
  static void add(std::vector<Pass>& all, const Problem& p, int pitch, std::int64_t times) {
    using Form = WarpForm<T, steps>;
    if (times == 0) return;
    Pass pass{};
    pass.divided = stream_pass<Form>(int(p.nx), int(p.ny), int(p.nz), pitch, 0, false, 1,
                                     attribute(cudaDevAttrMultiProcessorCount));
    pass.kernel = p.nx % Form::columns == 0 ? warp_temporal<Form, true> : warp_temporal<Form, false>;
    pass.blocks = blocks_for(32 * std::int64_t(pass.divided.items), Form::block);
    pass.threads = Form::block;
    pass.times = times;
    all.push_back(pass);
  }
};

template <class T>
using WarpTemporal = InPasses<T, WarpPasses<T>>;

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::temporal {

Entry cuda() {
  Entry e;
  e.refuse = [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (double(p.nz) * double(p.ny) * (double(p.nx) / 64 + 1) > 1e8 * 21 || p.nx > (1 << 28))
      return "more strips of columns than a launch has warps";
    return std::nullopt;
  };
  e.model = [](const Problem& p) { return temporal::cost(p, 3, pair_flops); };
  return with_factories<cuda::WarpTemporal>(e);
}

}  // namespace parity::diffusion::temporal

// SPDX-License-Identifier: BSD-3-Clause
// fused_column, CUDA, tuned: a lane updates a pack of columns (16 bytes) over several rows from registers;
// shuffles bring the neighbours in x.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/tuned.cuh"
#include "diffusion/column.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion::fused_column {
namespace {

using namespace parity::cuda;

/// Grid (warps along x, chunks of rows, planes). A warp has 32 neighbouring packs; the outer two lanes only
/// feed their neighbours. whole: nx is a multiple of the pack, so that no pack crosses the periodic seam.
template <int rows, bool whole, class T>
__global__ void fused_column_tuned_step(const T* __restrict__ in, T* __restrict__ out, int nx, int ny,
                                        int pitch, T alpha) {
  constexpr int width = pack_width<T>;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31,
            j0 = int(blockIdx.y) * rows, packs = packs_in_row<T>(nx), pack = warp * 30 + lane - 1;
  const std::size_t first = std::size_t(blockIdx.z) * ny * pitch;
  const T* const plane = in + first;
  T* const result = out + first;
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
      const T* const row = plane + std::size_t(j) * pitch;
      PARITY_UNROLL
      for (int i = 0; i < width; ++i) strip.at[r][i + 2] = row[column[i]];
    });
  }
  const bool computes = lane > 0 && lane < 31 && pack < packs;
  update_rows(
      strip, alpha,
      [&](int r) {
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

struct Step {
  template <class T>
  void operator()(cudaStream_t stream, const Problem& p, const Tuning& tuning, Field<const T> in,
                  Field<T> out) const {
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny), packs = packs_in_row<T>(nx), block = tuning[1];
    Configs<Count<4>, Count<8>, Count<12>>::dispatch({{tuning[0]}}, [&](auto form) {
      constexpr int rows = decltype(form)::count;
      const dim3 grid(blocks_for(32 * ceil_divide(packs, 30), block), blocks_for(ny, rows), unsigned(p.nz));
      const auto launch = [&](auto function) {
        function<<<grid, block, 0, stream>>>(in.data, out.data, nx, ny, in.pitch, alpha);
      };
      nx % pack_width<T> == 0 ? launch(fused_column_tuned_step<rows, true, T>)
                              : launch(fused_column_tuned_step<rows, false, T>);
    });
  }
};

std::optional<std::string> refuse(const Problem& p, const Tuning& t) {
  if (t[0] != 4 && t[0] != 8 && t[0] != 12) return "it is compiled for 4, 8 or 12 rows a lane";
  if (t[1] % 32 != 0 || t[1] > 1024) return "a block needs whole warps of 32, 1024 threads at most";
  if ((p.ny + t[0] - 1) / t[0] > 65535)
    return "more than 65535 chunks of rows do not fit the y axis of a CUDA grid";
  return refuse_planes(p, t);
}

}  // namespace

Entry cuda_tuned() {
  Entry e = with_tunings(algorithm(), {"12x32", "12x64", "12x128", "8x32", "8x64", "4x32", "4x64"},
                         "rows a lane x threads of a block");
  e.refuse += refuse;
  return with_steps<Packed, Step>(e);
}

}  // namespace parity::diffusion::fused_column

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-column-tuned: each lane updates a pack of columns (16 bytes) over several rows from
// registers, neighbours in x by shuffles, periodic indices; each input is read once. Twin of
// kokkos-fused-column.
#include "diffusion/column_strip.hpp"
#include "backend/cuda/diffusion/stepped.cuh"

namespace parity::cuda {
namespace {

/// Grid (warps along x, chunks of rows, planes).
template <int rows, bool whole, class T>
__global__ void fused_column(const T* __restrict__ in, T* __restrict__ out, int nx, int ny, int pitch,
                             T alpha) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  const std::size_t first = std::size_t(blockIdx.z) * ny * pitch;
  update_strip<rows, whole>(in + first, out + first, nx, ny, pitch, warp, lane, int(blockIdx.y) * rows,
                            alpha);
}

template <class T>
struct FusedColumn {
  Fields<T> f;
  int rows, block;
  FusedColumn(const Problem& p, const Tuning& t) : f(Fields<T>::packed(p)), rows(t[0]), block(t[1]) {}
  void operator()(T* in, T* out) const {
    if (rows == 4) return launch_rows<4>(in, out);
    if (rows == 8) return launch_rows<8>(in, out);
    launch_rows<12>(in, out);
  }
  void finish(T*) const {}

  template <int n>
  void launch_rows(const T* in, T* out) const {
    f.p.nx % pack_width<T> == 0 ? launch<n, true>(in, out) : launch<n, false>(in, out);
  }
  template <int n, bool whole>
  void launch(const T* in, T* out) const {
    const Problem& p = f.p;
    const dim3 grid(blocks_for(32 * warps_in_row(packs_in_row<T>(p.nx)), block), blocks_for(p.ny, n),
                    unsigned(p.nz));
    fused_column<n, whole>
        <<<grid, block, 0, f.stream>>>(in, out, int(p.nx), int(p.ny), int(f.pitch), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry fused_column_cuda_tuned() {
  Entry e = cuda::stepped_entry<cuda::FusedColumn>(
      {"12x32", "12x64", "12x128", "8x32", "8x64", "4x32", "4x64"}, "rows a lane x threads of a block");
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 4 && t[0] != 8 && t[0] != 12) return "it is compiled for 4, 8 or 12 rows a lane";
    if (t[1] % 32 != 0 || t[1] > 1024) return "a block needs whole warps of 32, 1024 threads at most";
    if ((p.ny + t[0] - 1) / t[0] > 65535)
      return "more than 65535 chunks of rows do not fit the y axis of a CUDA grid";
    return cuda::refuse_planes(p, t);
  };
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-1d: the 13-point update, one thread a point of a flat range, after a halo update. Twin
// of kokkos-fused-1d.
#include "stepped.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void fused_1d(const T* __restrict__ in, T* __restrict__ out, int points, int nx, int ny, int h,
                         T alpha) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= points) return;
  const int pitch = nx + 2 * h, rows = ny + 2 * h, row = n / nx, k = row / ny;
  const std::size_t centre = (std::size_t(k) * rows + (row - k * ny) + h) * pitch + (n - row * nx) + h;
  out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
}

template <class T>
struct Fused1d {
  Fields<T> f;
  int block;
  Fused1d(const Problem& p, const Tuning& t) : f(Fields<T>::padded(p)), block(t[0]) {}
  void operator()(T* in, T* out) const {
    const Problem& p = f.p;
    f.update_halo(in);
    fused_1d<<<blocks_for(p.points(), block), block, 0, f.stream>>>(in, out, int(p.points()), int(p.nx),
                                                                    int(p.ny), int(p.halo), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T* result) const { f.update_halo(result); }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_fused_1d() {
  Entry e = cuda::stepped_entry<cuda::Fused1d>({"256", "128", "512"}, "threads of a block");
  e.refuse = cuda::refuse_many_points;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-1d: the 13-point update, after a halo update, a flat range of one point or several
// rows a thread. Twin of kokkos-fused-1d.
#include "backend/cuda/diffusion/stepped.cuh"

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
  Tuning tuning;
  Fused1d(const Problem& p, const Tuning& t) : f(Fields<T>::padded(p)), tuning(t) {}
  void operator()(T* in, T* out) const {
    const Problem& p = f.p;
    f.update_halo(in);
    if (is_flat_form(tuning)) {
      const FusedPoints<T> points{in, out, {int(p.pitch()), int(p.rows()), int(p.halo)}, T(p.alpha)};
      for_flat_rows(f.stream, tuning, {p.nz, p.ny, p.nx}, points);
      return;
    }
    const int block = tuning[0];
    fused_1d<<<blocks_for(p.points(), block), block, 0, f.stream>>>(in, out, int(p.points()), int(p.nx),
                                                                    int(p.ny), int(p.halo), T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(T* result) const { f.update_halo(result); }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry fused_1d_cuda() {
  Entry e = cuda::stepped_entry<cuda::Fused1d>(
      cuda::joined(cuda::FlatForms::names(), {"256", "128", "512"}),
      "rows a thread x threads of a block, or threads of a block of one point a thread");
  e.refuse = cuda::refuse_flat;
  e.model = [](const Problem& p) { return cost_per_step(p, 2, 2, direct_flops); };
  return e;
}

}  // namespace parity::diffusion

// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-laplacian-1d: a written Laplacian kernel over a flat range, one point or several rows a
// thread; halo and field update stay elementary operations. Twin of kokkos-laplacian-1d.
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void laplacian_1d(const T* __restrict__ from, T* __restrict__ to, int points, int pitch, int rows,
                             int m) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= points) return;
  const int width = pitch - 2 * m, height = rows - 2 * m, row = n / width, k = row / height;
  const std::size_t c = (std::size_t(k) * rows + (row - k * height) + m) * pitch + (n - row * width) + m;
  to[c] = laplacian(from[c], from[c - 1], from[c + 1], from[c - pitch], from[c + pitch]);
}

template <class T>
struct Laplacian1d {
  Tuning tuning;
  Laplacian1d(const Problem&, const Tuning& t) : tuning(t) {}
  void operator()(const Fields<T>& f, const T* from, T* to, int m) const {
    const Problem& p = f.p;
    if (is_flat_form(tuning)) {
      const LaplacianPoints<T> all{from, to, {int(p.pitch()), int(p.rows()), m}};
      for_flat_rows(f.stream, tuning, inside(p, m), all);
      return;
    }
    const int block = tuning[0];
    const int points = int(p.nz * (p.rows() - 2 * m) * (p.pitch() - 2 * m));
    laplacian_1d<<<blocks_for(points, block), block, 0, f.stream>>>(from, to, points, int(p.pitch()),
                                                                    int(p.rows()), m);
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry laplacian_1d_cuda() {
  Entry e = cuda::elementary_entry<cuda::Laplacian1d>(
      cuda::joined(cuda::FlatForms::names(), {"256", "128", "512"}),
      "rows a thread x threads of a block, or threads of a block of one point a thread");
  e.refuse = cuda::refuse_flat;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return e;
}

}  // namespace parity::diffusion

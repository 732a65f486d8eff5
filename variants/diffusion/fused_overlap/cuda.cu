// SPDX-License-Identifier: BSD-3-Clause
// fused_overlap, CUDA: one thread a point of a region.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::cuda {
namespace {

/// A region of all planes, one thread a point.
template <class T>
__global__ void kernel(const T* __restrict__ in, T* __restrict__ out, int width, int height, int pitch,
                       std::size_t plane_values, std::size_t first, T alpha) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= height || i >= width) return;
  const std::size_t centre = k * plane_values + first + std::size_t(j) * pitch + i;
  out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
}

template <class T>
struct RankPart : PartOnDevice<T> {
  using PartOnDevice<T>::PartOnDevice;
  using PartOnDevice<T>::update;
  void update(const T* in, T* out, const Region& r) const {
    const Problem& p = this->f_.p;
    const std::size_t first = std::size_t(p.halo + r.row) * p.pitch() + p.halo + r.column;
    kernel<<<plane_grid(r.columns, r.rows, p.nz, this->block_), this->block_, 0, this->f_.stream>>>(
        in, out, int(r.columns), int(r.rows), int(p.pitch()), std::size_t(p.pitch() * p.rows()), first,
        T(p.alpha));
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::fused_overlap {

Entry cuda() {
  const Entry e = cuda::with_part_blocks(exchange_algorithm<fused_overlap::Algorithm>());
  return with_exchange<cuda::RankPart, fused_overlap::Algorithm>(e);
}

}  // namespace parity::diffusion::fused_overlap

// SPDX-License-Identifier: BSD-3-Clause
// fused_exchange, CUDA: one thread updates one point of a region.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::cuda {
namespace {

/// Updates a region of all planes, one thread per point.
template <class T>
__global__ void update_region(const T* __restrict__ in, T* __restrict__ out, int width, int height, int pitch,
                              std::size_t plane_values, std::size_t first, T alpha) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= height || i >= width) return;
  const std::size_t centre = k * plane_values + first + std::size_t(j) * pitch + i;
  out[centre] = update_at(alpha, FlatNeighbours<T>{in + centre, pitch});
}

}  // namespace

template <class T>
void UpdatedPart<T>::update(const T* in, T* out, const Region& r) const {
  const Problem& p = this->f_.p;
  const std::size_t first = std::size_t(p.halo + r.row) * p.pitch() + p.halo + r.column;
  update_region<<<plane_grid(r.columns, r.rows, p.nz, this->block_), this->block_, 0, this->f_.stream>>>(
      in, out, int(r.columns), int(r.rows), int(p.pitch()), std::size_t(p.pitch() * p.rows()), first,
      T(p.alpha));
  PARITY_CUDA(cudaGetLastError());
}

template struct UpdatedPart<float>;
template struct UpdatedPart<double>;

}  // namespace parity::cuda

namespace parity::diffusion::fused_exchange {

Entry cuda() { return with_exchange<cuda::UpdatedPart, Form>(cuda::with_part_blocks(algorithm())); }

}  // namespace parity::diffusion::fused_exchange

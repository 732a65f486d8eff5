// SPDX-License-Identifier: BSD-3-Clause
// exchange, CUDA: one thread a cell of a plane, of all regions that a direction moves.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void kernel(Moves<T> moves, int cells) {
  const int k = blockIdx.y, cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell < cells) moves(cell, k);
}

template <class T>
struct RankPart : PartOnDevice<T> {
  using PartOnDevice<T>::PartOnDevice;
  void move(const char*, const Moves<T>& moves) const {
    const dim3 grid(blocks_for(moves.cells(), 256), unsigned(this->f_.p.nz));
    kernel<<<grid, 256, 0, this->f_.stream>>>(moves, moves.cells());
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::exchange {

Entry cuda() {
  return with_exchange<cuda::RankPart, exchange::Algorithm>(exchange_algorithm<exchange::Algorithm>());
}

}  // namespace parity::diffusion::exchange

// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/memory.hpp"

#include "cuda/check.cuh"

namespace parity::cuda {

Memory::Memory(std::int64_t bytes) { PARITY_CUDA(cudaMalloc(&data_, std::size_t(bytes))); }
Memory::~Memory() { cudaFree(data_); }
// Streams of variants do not wait for the default stream, so these do by themselves.
void Memory::write(const void* from, std::int64_t bytes) {
  PARITY_CUDA(cudaMemcpy(data_, from, std::size_t(bytes), cudaMemcpyHostToDevice));
  PARITY_CUDA(cudaDeviceSynchronize());
}
void Memory::read(void* to, std::int64_t bytes) const {
  PARITY_CUDA(cudaDeviceSynchronize());
  PARITY_CUDA(cudaMemcpy(to, data_, std::size_t(bytes), cudaMemcpyDeviceToHost));
}

}  // namespace parity::cuda

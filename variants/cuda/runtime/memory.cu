// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device_memory.hpp"

#include "cuda/runtime/check.cuh"

namespace parity::runtime {

DeviceMemory::DeviceMemory(std::int64_t bytes) { PARITY_CUDA(cudaMalloc(&data_, std::size_t(bytes))); }
DeviceMemory::~DeviceMemory() { cudaFree(data_); }
// Streams of variants do not wait for the default stream, so these do by themselves.
void DeviceMemory::write(const void* from, std::int64_t bytes) {
  PARITY_CUDA(cudaMemcpy(data_, from, std::size_t(bytes), cudaMemcpyHostToDevice));
  PARITY_CUDA(cudaDeviceSynchronize());
}
void DeviceMemory::read(void* to, std::int64_t bytes) const {
  PARITY_CUDA(cudaDeviceSynchronize());
  PARITY_CUDA(cudaMemcpy(to, data_, std::size_t(bytes), cudaMemcpyDeviceToHost));
}

}  // namespace parity::runtime

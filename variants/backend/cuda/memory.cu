// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <new>

#include "check.cuh"
#include "runtime/device_memory.hpp"

namespace parity::runtime {

DeviceMemory::DeviceMemory(std::int64_t bytes) { PARITY_CUDA(cudaMalloc(&data_, std::size_t(bytes))); }
DeviceMemory::~DeviceMemory() { cudaFree(data_); }
// Variants' streams do not synchronise with the default stream, so these functions synchronise the device.
void DeviceMemory::write(const void* from, std::int64_t bytes) {
  PARITY_CUDA(cudaMemcpy(data_, from, std::size_t(bytes), cudaMemcpyHostToDevice));
  PARITY_CUDA(cudaDeviceSynchronize());
}
void DeviceMemory::read(void* to, std::int64_t bytes) const {
  PARITY_CUDA(cudaDeviceSynchronize());
  PARITY_CUDA(cudaMemcpy(to, data_, std::size_t(bytes), cudaMemcpyDeviceToHost));
}

StagingMemory::StagingMemory(std::size_t bytes, bool for_device) : locked_(for_device) {
  if (locked_ ? cudaMallocHost(&data_, bytes) != cudaSuccess : !(data_ = std::malloc(bytes))) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
}
StagingMemory::~StagingMemory() {
  if (locked_)
    cudaFreeHost(data_);
  else
    std::free(data_);
}

void copy_planes(const Planes& from, const Planes& to, std::int64_t row_bytes, std::int64_t rows,
                 std::int64_t planes, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  const auto whole = [&](const Planes& p) { return p.pitch_bytes == row_bytes && p.plane_rows == rows; };
  if (whole(from) && whole(to)) {
    PARITY_CUDA(
        cudaMemcpyAsync(to.first, from.first, std::size_t(row_bytes * rows * planes), cudaMemcpyDefault, s));
    return;
  }
  const auto pitched = [&](const Planes& p) {
    return make_cudaPitchedPtr(p.first, std::size_t(p.pitch_bytes), std::size_t(row_bytes),
                               std::size_t(p.plane_rows));
  };
  cudaMemcpy3DParms c = {};
  c.srcPtr = pitched(from);
  c.dstPtr = pitched(to);
  c.extent = make_cudaExtent(std::size_t(row_bytes), std::size_t(rows), std::size_t(planes));
  c.kind = cudaMemcpyDefault;
  PARITY_CUDA(cudaMemcpy3DAsync(&c, s));
}

}  // namespace parity::runtime

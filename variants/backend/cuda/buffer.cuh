// SPDX-License-Identifier: BSD-3-Clause
// Owned device memory.
#pragma once
#include <cstdint>

#include "check.cuh"

namespace parity::cuda {

/// Device memory of n elements, freed with its owner.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::int64_t n) : size_(n) { PARITY_CUDA(cudaMalloc(&data_, bytes())); }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return std::size_t(size_) * sizeof(T); }
  /// Sets all bits, which makes every value a NaN.
  void poison_on(cudaStream_t stream) const { PARITY_CUDA(cudaMemsetAsync(data_, 0xff, bytes(), stream)); }

 private:
  std::int64_t size_;
  T* data_ = nullptr;
};

inline unsigned blocks_for(std::int64_t n, std::int64_t block) { return unsigned((n + block - 1) / block); }

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Words of device memory that nodes of a graph write, one each.
#pragma once
#include <algorithm>
#include <vector>

#include "backend/cuda/buffer.cuh"

namespace parity::launch {

class Marks {
 public:
  static constexpr unsigned mark = 0x5a5a5a5au;
  explicit Marks(int count) : words_(count) { clear(); }
  unsigned* word(int k) const { return words_.data() + k; }
  /// Not in any stream of its own: waits for the device before and after.
  void clear() const {
    PARITY_CUDA(cudaDeviceSynchronize());
    PARITY_CUDA(cudaMemset(words_.data(), 0, words_.bytes()));
    PARITY_CUDA(cudaDeviceSynchronize());
  }
  void set(int k) const {
    const unsigned value = mark;
    PARITY_CUDA(cudaMemcpy(word(k), &value, sizeof value, cudaMemcpyHostToDevice));
  }
  /// Words that are marked, once the device is idle.
  int count() const {
    std::vector<unsigned> host(std::size_t(words_.size()));
    PARITY_CUDA(cudaMemcpy(host.data(), words_.data(), words_.bytes(), cudaMemcpyDeviceToHost));
    return int(std::count(host.begin(), host.end(), mark));
  }

 private:
  cuda::Buffer<unsigned> words_;
};

}  // namespace parity::launch

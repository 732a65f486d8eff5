// SPDX-License-Identifier: BSD-3-Clause
// What the native CUDA KDE variants share: a stream, the padded samples, the densities.
#pragma once
#include <memory>
#include <vector>

#include "cuda/buffer.cuh"
#include "cuda/device.hpp"
#include "cuda/stream.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"

namespace parity::cuda {

using namespace parity::kde;

/// Base of all. 'count': values the sample array holds, padding included; prescaled: samples are loaded as
/// distances from their middle in units of the exponent's scale.
template <class T>
class CudaSamples : public Variant<T> {
 public:
  explicit CudaSamples(const Problem& p, std::int64_t count = 0, bool prescaled = false)
      : p_(p),
        prescaled_(prescaled),
        samples_(count > 0 ? count : padded_count(p.n)),
        density_(p.n),
        stream_(static_cast<cudaStream_t>(owned_stream_.get())),
        clock_(make_clock(stream_)) {}

  void load(const T* samples) override {
    const double factor = prescaled_ ? scale_of(p_.bandwidth) : 1;
    const std::vector<T> padded =
        padded_samples(samples, p_.n, samples_.size(), prescaled_ ? middle_of(samples, p_.n) : 0, factor);
    PARITY_CUDA(
        cudaMemcpyAsync(samples_.data(), padded.data(), samples_.bytes(), cudaMemcpyHostToDevice, stream_));
    density_.poison_on(stream_);
    PARITY_CUDA(cudaStreamSynchronize(stream_));
  }
  void synchronise() override { PARITY_CUDA(cudaStreamSynchronize(stream_)); }
  void store(T* density) override {
    PARITY_CUDA(cudaMemcpyAsync(density, density_.data(), density_.bytes(), cudaMemcpyDeviceToHost, stream_));
    PARITY_CUDA(cudaStreamSynchronize(stream_));
  }
  study::DeviceClock* device_clock() override { return clock_.get(); }
  double occupancy() const override { return occupancy_; }

 protected:
  /// Blocks of the kernel that a multiprocessor holds at once, also kept as the row's occupancy.
  template <class Kernel>
  int blocks_resident(Kernel kernel, int threads, std::size_t shared = 0) {
    int blocks = 0, device = 0, most = 0;
    PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    PARITY_CUDA(cudaGetDevice(&device));
    PARITY_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    occupancy_ = double(blocks) * threads / most;
    return blocks;
  }

  Problem p_;
  bool prescaled_;
  Buffer<T> samples_, density_;
  double occupancy_ = 0;

 private:
  Stream owned_stream_;

 protected:
  cudaStream_t stream_;

 private:
  std::unique_ptr<study::DeviceClock> clock_;
};

}  // namespace parity::cuda

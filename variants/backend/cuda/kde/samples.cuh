// SPDX-License-Identifier: BSD-3-Clause
// Common parts of native CUDA KDE variants: a stream, the padded samples, the densities.
#pragma once
#include <limits>
#include <memory>
#include <vector>

#include "backend/cuda/buffer.cuh"
#include "backend/cuda/current_device.cuh"
#include "kde/refusals.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"
#include "runtime/clock.hpp"
#include "runtime/graph.hpp"
#include "runtime/stream.hpp"

namespace parity::cuda {

using namespace parity::kde;

template <class T>
__global__ void fill(T* values, std::int64_t n, T value) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) values[i] = value;
}

/// 'count': values the sample array holds, padding included.
template <class T>
class Samples {
 public:
  explicit Samples(const Problem& problem, std::int64_t count = 0)
      : p(problem),
        stream(static_cast<cudaStream_t>(owned_stream_.get())),
        samples_(count > 0 ? count : padded_count(p.n)),
        density_(p.n),
        clock_(runtime::make_clock(stream)) {}

  void load(const T* samples) {
    const std::vector<T> padded = padded_samples(samples, p.n, samples_.size());
    PARITY_CUDA(
        cudaMemcpyAsync(samples_.data(), padded.data(), samples_.bytes(), cudaMemcpyHostToDevice, stream));
    // A rank may have no samples, and CUDA cannot launch a grid of 0 blocks.
    if (p.n > 0) fill<<<blocks_for(p.n, 256), 256, 0, stream>>>(density(), p.n, density_begin);
    PARITY_CUDA(cudaGetLastError());
    synchronise();
  }
  void synchronise() const { PARITY_CUDA(cudaStreamSynchronize(stream)); }
  void store(T* density) const {
    PARITY_CUDA(cudaMemcpyAsync(density, density_.data(), density_.bytes(), cudaMemcpyDeviceToHost, stream));
    synchronise();
  }
  runtime::DeviceClock* clock() const { return clock_.get(); }

  const T* data() const { return samples_.data(); }
  std::int64_t size() const { return samples_.size(); }
  T* density() const { return density_.data(); }
  /// The destination of a kernel's sums; partial: memory for the sums of several chunks.
  Sink<T> sink(double* partial = nullptr) const { return {density(), partial, p.n, p.norm()}; }

  /// Number of resident blocks of the kernel per multiprocessor; also sets 'occupancy' of the result.
  template <class Kernel>
  int blocks_resident(Kernel kernel, int threads) {
    int blocks = 0;
    PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    occupancy = double(blocks) * threads / attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    return blocks;
  }
  /// The same for the whole device.
  template <class Kernel>
  std::int64_t blocks_on_device(Kernel kernel, int threads) {
    return std::int64_t(blocks_resident(kernel, threads)) * attribute(cudaDevAttrMultiProcessorCount);
  }

 private:
  runtime::Stream owned_stream_;

 public:
  const Problem p;
  const cudaStream_t stream;
  double occupancy = 0;
  T density_begin = std::numeric_limits<T>::quiet_NaN();  ///< load() fills the densities with it

 private:
  Buffer<T> samples_, density_;
  std::unique_ptr<runtime::DeviceClock> clock_;
};

/// Makes a variant from a sum, which is constructed from a problem and a tuning, has the samples as 's' and
/// launches on s.stream when called.
template <class T, class Sum>
class Summed : public Variant<T> {
 public:
  Summed(const Problem& p, const Tuning& t) : sum_(p, t) {}
  void prepare() override {
    graph_ = runtime::capture(sum_.s.stream, [this] { sum_(); });
    graph_->instantiate();
    graph_->upload();
  }
  void load(const T* samples) override { sum_.s.load(samples); }
  void advance() override { graph_ ? graph_->launch() : sum_(); }
  void synchronise() override { sum_.s.synchronise(); }
  void store(T* density) override { sum_.s.store(density); }
  runtime::DeviceClock* device_clock() override { return sum_.s.clock(); }
  double occupancy() const override { return sum_.s.occupancy; }

 private:
  Sum sum_;
  std::unique_ptr<runtime::Graph> graph_;
};

/// A factory for an entry.
template <class T, class Sum>
std::unique_ptr<Variant<T>> make_sum(const Problem& p, const Tuning& t) {
  return std::make_unique<Summed<T, Sum>>(p, t);
}
/// Adds the factories of both precisions of a sum to the entry.
template <template <class> class Sum>
Entry with_sum(Entry e) {
  e.make_f32 = make_sum<float, Sum<float>>;
  e.make_f64 = make_sum<double, Sum<double>>;
  return e;
}

}  // namespace parity::cuda

// SPDX-License-Identifier: BSD-3-Clause
// roofs, CUDA: a block for each part of the values, its threads side by side.
#include <memory>

#include "backend/cuda/buffer.cuh"
#include "backend/cuda/current_device.cuh"
#include "roofs/variant.hpp"
#include "runtime/clock.hpp"
#include "runtime/stream.hpp"

namespace parity::roofs::roofs {
namespace {

constexpr int threads = 256;

template <Kind kind, class T>
__global__ void passes(Arrays<T> d, T* sums) {
  const Part part = part_of(d.values, gridDim.x, blockIdx.x);
  const T sum = all_passes<kind>(d, part.begin + threadIdx.x, part.end, blockDim.x);
  sums[std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

template <class T>
class CudaRoofs : public Variant<T> {
 public:
  CudaRoofs(const Problem& p, const harness::Tuning&)
      : kind_(p.kind()),
        blocks_(8 * cuda::attribute(cudaDevAttrMultiProcessorCount)),
        stream_(static_cast<cudaStream_t>(owned_stream_.get())),
        a_(p.values()),
        b_(arrays_of(kind_) > 1 ? p.values() : 1),
        c_(arrays_of(kind_) > 2 ? p.values() : 1),
        sums_(std::int64_t(blocks_) * threads),
        clock_(runtime::make_clock(stream_)) {
    d_.a = a_.data(), d_.b = b_.data(), d_.c = c_.data();
    d_.values = p.values(), d_.passes = p.passes();
  }
  void load(const T* a, const T* b) override {
    PARITY_CUDA(cudaMemcpyAsync(a_.data(), a, a_.bytes(), cudaMemcpyHostToDevice, stream_));
    if (kind_ == Kind::triad)
      PARITY_CUDA(cudaMemcpyAsync(b_.data(), b, b_.bytes(), cudaMemcpyHostToDevice, stream_));
    else
      b_.poison_on(stream_);
    c_.poison_on(stream_);
    sums_.poison_on(stream_);
    synchronise();
  }
  void advance() override {
    with_kind(kind_, [this](auto kind) {
      passes<kind()><<<unsigned(blocks_), threads, 0, stream_>>>(d_, sums_.data());
    });
    PARITY_CUDA(cudaGetLastError());
  }
  void synchronise() override { PARITY_CUDA(cudaStreamSynchronize(stream_)); }
  std::vector<T> store() override {
    const bool sums = kind_ == Kind::read;
    std::vector<T> result(std::size_t(sums ? sums_.size() : d_.values));
    const T* const from = sums ? sums_.data() : this->result_of(d_, kind_);
    PARITY_CUDA(
        cudaMemcpyAsync(result.data(), from, result.size() * sizeof(T), cudaMemcpyDeviceToHost, stream_));
    synchronise();
    return result;
  }
  runtime::DeviceClock* device_clock() override { return clock_.get(); }

 private:
  runtime::Stream owned_stream_;
  Kind kind_;
  int blocks_;
  cudaStream_t stream_;
  cuda::Buffer<T> a_, b_, c_, sums_;
  std::unique_ptr<runtime::DeviceClock> clock_;
  Arrays<T> d_;
};

}  // namespace

Entry cuda() { return harness::with_factories<CudaRoofs>(Entry()); }

}  // namespace parity::roofs::roofs

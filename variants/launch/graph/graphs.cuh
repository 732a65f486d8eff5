// SPDX-License-Identifier: BSD-3-Clause
// Probes whose events are in graphs of one class.
#pragma once
#include "backend/cuda/buffer.cuh"
#include "backend/cuda/launch/call.cuh"
#include "backend/cuda/native_graph.cuh"

namespace parity::launch {

/// Made(stream, problem, count, work): a graph of so many events.
template <class Made>
class Graphs : public GraphProbe<CudaProbe> {
 public:
  using GraphProbe<CudaProbe>::GraphProbe;
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return std::make_unique<Made>(stream_, p_, count, work);
  }
};

/// Made(stream, problem, count, work, counter): one that counts its events on the device. Its graphs run one
/// after the other and share the counter, which is 0 at first; allocating it is no part of making a graph.
template <class Made>
class CountingGraphs : public GraphProbe<CudaProbe> {
 public:
  explicit CountingGraphs(const Problem& p) : GraphProbe(p), counter_(1) {
    PARITY_CUDA(cudaMemsetAsync(counter_.data(), 0, counter_.bytes(), stream_));
  }
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return std::make_unique<Made>(stream_, p_, count, work, counter_.data());
  }

 private:
  cuda::Buffer<int> counter_;
};

/// Adds the kernel that does an event's work and counts it, made for no work and for waits.
template <class Counter>
void add_counting_kernel(cudaGraph_t graph, void (*nothing)(Work, Counter), void (*wait)(Work, Counter),
                         const Problem& p, const Work& work, Counter counter) {
  Work w = work;
  void* arguments[] = {&w, &counter};
  cuda::add_kernel(graph, reinterpret_cast<const void*>(work.kind == Kind::none ? nothing : wait),
                   dim3(unsigned(p.blocks)), dim3(unsigned(p.threads)), arguments);
}

}  // namespace parity::launch

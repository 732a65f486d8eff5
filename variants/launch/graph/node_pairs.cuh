// SPDX-License-Identifier: BSD-3-Clause
// Graphs in a line whose kernel nodes each have a node of another kind after them; an event is both. A kernel
// is in every event, so that logs and tracers see it, and what the other node adds is the difference from a
// line of kernels alone.
#pragma once
#include <algorithm>
#include <vector>

#include "algorithm.hpp"
#include "backend/cuda/buffer.cuh"
#include "backend/cuda/launch/probe.cuh"
#include "backend/cuda/native_graph.cuh"

namespace parity::launch {

/// Other is made for graphs of so many events at most:
///   void begin()   what is added next belongs to a new graph
///   cudaGraphNode_t add(cudaGraph_t graph, int event, cudaGraphNode_t after)   adds an event's other node
///   int over()   events whose other node did its work, for an idle device; forgets them
template <class Other>
class PairGraph : public cuda::NativeGraph {
 public:
  /// other: lives as long as the graph, whose nodes write into it.
  PairGraph(cudaStream_t stream, const Problem& p, int count, const Work& work, std::shared_ptr<Other> other)
      : NativeGraph(stream), other_(std::move(other)) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    Call call(work, 0);
    other_->begin();
    std::vector<cudaGraphNode_t> last;
    for (int k = 0; k < count; ++k) {
      const cudaGraphNode_t kernel = cuda::add_kernel(graph_, call.function(), dim3(unsigned(p.blocks)),
                                                      dim3(unsigned(p.threads)), call.arguments(), last);
      last = {other_->add(graph_, k, kernel)};
    }
  }

 private:
  std::shared_ptr<Other> other_;
};

template <class Other>
class NodePairs : public GraphProbe<CudaProbe> {
 public:
  explicit NodePairs(const Problem& p) : GraphProbe(p) { make_room(std::max({p.launches, p.units, 64})); }
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    if (count > events_) make_room(count);
    return std::make_unique<PairGraph<Other>>(stream_, p_, count, work, other_);
  }
  std::optional<int> others_over() override { return other_->over(); }

 private:
  /// Beforehand: allocating is no part of making a graph.
  void make_room(int events) {
    other_ = std::make_shared<Other>(events);
    events_ = events;
  }

  int events_ = 0;
  std::shared_ptr<Other> other_;
};

/// Words of device memory that nodes of a graph write, one each.
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

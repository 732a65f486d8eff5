// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph-while: a graph whose while node repeats one kernel until the kernel ends the loop. In its
// -device form, a graph of one kernel launches itself again from the device.
#include "../algorithm.hpp"
#include "backend/cuda/buffer.cuh"
#include "backend/cuda/launch/probe.cuh"
#include "backend/cuda/while_node.cuh"

namespace parity::launch::graph {
namespace {

/// Made(stream, problem, count, work, counter) builds a graph that counts its events on the device. The
/// graphs run one after the other and share the counter, which starts at 0; it is allocated here, outside the
/// time to build a graph.
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

/// Adds the kernel that does an event's work and counts it: one without work, one that waits.
template <class Counter>
void add_counting_kernel(cudaGraph_t graph, void (*nothing)(Work, Counter), void (*wait)(Work, Counter),
                         const Problem& p, const Work& work, Counter counter) {
  Work w = work;
  void* arguments[] = {&w, &counter};
  cuda::add_kernel(graph, reinterpret_cast<const void*>(work.kind == Kind::none ? nothing : wait),
                   dim3(unsigned(p.blocks)), dim3(unsigned(p.threads)), arguments);
}

#if PARITY_HAS_WHILE_NODES
template <Kind kind>
__global__ void loop_body(Work work, cuda::PassCounter counter) {
  const std::int64_t thread = thread_of_grid();
  if constexpr (kind != Kind::none) perform<kind>(work, thread);
  if (thread == 0) counter.count_pass();
}

class WhileGraph : public cuda::NativeGraph {
 public:
  WhileGraph(cudaStream_t stream, const Problem& p, int count, const Work& work, int* left)
      : NativeGraph(stream) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    const cuda::WhileNode loop(graph_, count, left);
    add_counting_kernel(loop.body(), loop_body<Kind::none>, loop_body<Kind::wait>, p, work, loop.counter());
  }
};
#endif

#if CUDART_VERSION >= 12000
/// Number of launches of the graph so far, and in total. The last launch resets it to 0, so that the host
/// need not.
struct LaunchCounter {
  int* done;
  int count;
};

template <Kind kind>
__global__ void launch_again(Work work, LaunchCounter counter) {
  const std::int64_t thread = thread_of_grid();
  if constexpr (kind != Kind::none) perform<kind>(work, thread);
  if (thread != 0) return;
  if (++*counter.done < counter.count)
    // A tail launch begins when this launch of the graph has ended.
    cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
  else
    *counter.done = 0;
}

class SelfLaunchingGraph : public cuda::NativeGraph {
 public:
  SelfLaunchingGraph(cudaStream_t stream, const Problem& p, int count, const Work& work, int* done)
      : NativeGraph(stream, cudaGraphInstantiateFlagDeviceLaunch) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    add_counting_kernel(graph_, launch_again<Kind::none>, launch_again<Kind::wait>, p, work,
                        LaunchCounter{done, count});
  }
};
#endif

}  // namespace

Entry cuda_while() {
#if PARITY_HAS_WHILE_NODES
  Entry e = algorithm();
  e.refuse = [](const Problem&) { return runtime::why_no_loops(); };
  return with_probe<CountingGraphs<WhileGraph>>(e);
#else
  return cannot(Role::graph, runtime::why_no_loops()->c_str());
#endif
}

Entry cuda_device() {
#if CUDART_VERSION >= 12000
  return with_probe<CountingGraphs<SelfLaunchingGraph>>(algorithm());
#else
  return cannot(Role::graph, "graphs launch from the device from CUDA 12.0");
#endif
}

}  // namespace parity::launch::graph

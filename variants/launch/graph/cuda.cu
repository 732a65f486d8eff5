// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-graph: adds kernel nodes to a graph one by one, in a line or forking to four and joining; their
// arguments can be replaced, all at once or node by node. Its -dependent form has programmatic edges; -empty,
// -memcpy and -memset have a node of that kind after each kernel node.
#include <algorithm>
#include <vector>

#include "algorithm.hpp"
#include "backend/cuda/buffer.cuh"
#include "backend/cuda/launch/dependent.cuh"
#include "backend/cuda/launch/probe.cuh"
#include "backend/cuda/native_graph.cuh"

namespace parity::launch::graph {
namespace {

/// Made(stream, problem, count, work) builds a graph of 'count' events.
template <class Made>
class Graphs : public GraphProbe<CudaProbe> {
 public:
  using GraphProbe<CudaProbe>::GraphProbe;
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return std::make_unique<Made>(stream_, p_, count, work);
  }
};

class NodeGraph : public cuda::NativeGraph {
 public:
  NodeGraph(cudaStream_t stream, const Problem& p, int count, const Work& work)
      : NativeGraph(stream), grid_(unsigned(p.blocks)), block_(unsigned(p.threads)), event_(work, 0) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    Call branch(Work(), 0);
    std::vector<cudaGraphNode_t> last;
    for (int k = 0; k < count; ++k) {
      if (p.topology == Topology::fork)
        last = {add(branch, last), add(branch, last), add(branch, last), add(branch, last)};
      events_.push_back(add(event_, last));
      last = {events_.back()};
    }
  }
  void update_node_from(const runtime::Graph& other, int event) override {
    const Call& call = static_cast<const NodeGraph&>(other).event_;
    set_kernel(events_.at(std::size_t(event)),
               cuda::kernel_parameters(call.function(), grid_, block_, call.arguments()));
  }

 private:
  /// Adds a node that depends on those of 'after'.
  cudaGraphNode_t add(const Call& call, const std::vector<cudaGraphNode_t>& after) {
    const cudaKernelNodeParams parameters =
        cuda::kernel_parameters(call.function(), grid_, block_, call.arguments());
    cudaGraphNode_t node{};
    PARITY_CUDA(cudaGraphAddKernelNode(&node, graph_, after.data(), after.size(), &parameters));
    return node;
  }

  dim3 grid_, block_;
  Call event_;
  std::vector<cudaGraphNode_t> events_;
};

#if CUDART_VERSION >= 12030
/// A line of kernels: each lets the next node start at once, and waits for the previous one only before its
/// own work.
class DependentGraph : public cuda::NativeGraph {
 public:
  DependentGraph(cudaStream_t stream, const Problem& p, int count, const Work& work) : NativeGraph(stream) {
    PARITY_CUDA(cudaGraphCreate(graph_.put(), 0));
    Work w = work;
    void* arguments[] = {&w};
    const void* function = reinterpret_cast<const void*>(dependent_nothing<>);
    with_kind(work.kind,
              [&](auto kind) { function = reinterpret_cast<const void*>(dependent_work<kind()>); });
    cudaGraphNode_t last{};
    for (int k = 0; k < count; ++k) {
      const cudaGraphNode_t node =
          cuda::add_kernel(graph_, function, dim3(unsigned(p.blocks)), dim3(unsigned(p.threads)), arguments);
      if (last) let_start_early(last, node);
      last = node;
    }
  }

 private:
  /// Lets the second node start once every block of the first has permitted it, before the first has ended.
  void let_start_early(cudaGraphNode_t first, cudaGraphNode_t second) {
    cudaGraphEdgeData edge{};
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
#if CUDART_VERSION >= 13000
    PARITY_CUDA(cudaGraphAddDependencies(graph_, &first, &second, &edge, 1));
#else
    PARITY_CUDA(cudaGraphAddDependencies_v2(graph_, &first, &second, &edge, 1));
#endif
  }
};
#endif

// Graphs of a line of pairs: a kernel node and a node of another kind, which form an event. Each event has a
// kernel, so that logs and tracers see it; the other node's cost is the difference from a line of kernels.

/// Other(events) serves graphs of at most that many events:
///   void begin()   starts a new graph
///   cudaGraphNode_t add(cudaGraph_t graph, int event, cudaGraphNode_t after)   adds an event's other node
///   int over()   counts events whose other node did its work, on an idle device, and resets the count
template <class Other>
class PairGraph : public cuda::NativeGraph {
 public:
  /// other must outlive the graph, whose nodes write into it.
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
  /// Called before graphs are built, so that their build time has no allocation.
  void make_room(int events) {
    other_ = std::make_shared<Other>(events);
    events_ = events;
  }

  int events_ = 0;
  std::shared_ptr<Other> other_;
};

/// Device memory of one word per node; each node of a graph writes its own.
class Marks {
 public:
  static constexpr unsigned mark = 0x5a5a5a5au;
  explicit Marks(int count) : words_(count) { clear(); }
  unsigned* word(int k) const { return words_.data() + k; }
  /// Uses no stream of its own: it waits for the device before and after.
  void clear() const {
    PARITY_CUDA(cudaDeviceSynchronize());
    PARITY_CUDA(cudaMemset(words_.data(), 0, words_.bytes()));
    PARITY_CUDA(cudaDeviceSynchronize());
  }
  void set(int k) const {
    const unsigned value = mark;
    PARITY_CUDA(cudaMemcpy(word(k), &value, sizeof value, cudaMemcpyHostToDevice));
  }
  /// Counts the marked words; the device must be idle.
  int count() const {
    std::vector<unsigned> host(std::size_t(words_.size()));
    PARITY_CUDA(cudaMemcpy(host.data(), words_.data(), words_.bytes(), cudaMemcpyDeviceToHost));
    return int(std::count(host.begin(), host.end(), mark));
  }

 private:
  cuda::Buffer<unsigned> words_;
};

class Empty {
 public:
  explicit Empty(int) {}
  void begin() { added_ = 0; }
  cudaGraphNode_t add(cudaGraph_t graph, int, cudaGraphNode_t after) {
    cudaGraphNode_t node{};
    PARITY_CUDA(cudaGraphAddEmptyNode(&node, graph, &after, 1));
    cudaGraphNodeType type{};
    PARITY_CUDA(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeEmpty) ++added_;
    return node;
  }
  /// An empty node leaves no mark: it is only known to be in the graph.
  int over() const { return added_; }

 private:
  int added_ = 0;
};

/// Each node copies four bytes of device memory. The nodes pass the first word on, so that a missing or early
/// node shows.
class Copies {
 public:
  explicit Copies(int events) : words_(events + 1) { words_.set(0); }
  void begin() {}
  cudaGraphNode_t add(cudaGraph_t graph, int event, cudaGraphNode_t after) {
    cudaGraphNode_t node{};
    PARITY_CUDA(cudaGraphAddMemcpyNode1D(&node, graph, &after, 1, words_.word(event + 1), words_.word(event),
                                         sizeof(unsigned), cudaMemcpyDeviceToDevice));
    return node;
  }
  int over() {
    const int copied = words_.count() - 1;
    words_.clear();
    words_.set(0);
    return copied;
  }

 private:
  Marks words_;
};

/// Each node fills four bytes of device memory.
class Fills {
 public:
  explicit Fills(int events) : words_(events) {}
  void begin() {}
  cudaGraphNode_t add(cudaGraph_t graph, int event, cudaGraphNode_t after) {
    cudaMemsetParams fill{};
    fill.dst = words_.word(event);
    fill.value = Marks::mark;
    fill.elementSize = sizeof(unsigned);
    fill.width = 1;
    fill.height = 1;
    fill.pitch = sizeof(unsigned);
    cudaGraphNode_t node{};
    PARITY_CUDA(cudaGraphAddMemsetNode(&node, graph, &after, 1, &fill));
    return node;
  }
  int over() {
    const int filled = words_.count();
    words_.clear();
    return filled;
  }

 private:
  Marks words_;
};

}  // namespace

Entry cuda() {
  Entry e = algorithm();
  e.kernels = true;
  e.forks = true;
  e.updates = true;
  return with_probe<Graphs<NodeGraph>>(e);
}

Entry cuda_dependent() {
#if CUDART_VERSION >= 12030
  Entry e = algorithm();
  e.kernels = true;
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (const auto why = cuda::why_old_driver(12030, "programmatic edges of graphs")) return why;
    return why_not_dependent(p);
  };
  return with_probe<Graphs<DependentGraph>>(e);
#else
  return cannot(Role::graph, "programmatic edges of graphs need CUDA 12.3 or newer");
#endif
}

Entry cuda_empty() { return with_probe<NodePairs<Empty>>(algorithm()); }
Entry cuda_memcpy() { return with_probe<NodePairs<Copies>>(algorithm()); }
Entry cuda_memset() { return with_probe<NodePairs<Fills>>(algorithm()); }

}  // namespace parity::launch::graph

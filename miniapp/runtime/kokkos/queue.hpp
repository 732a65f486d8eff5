// SPDX-License-Identifier: BSD-3-Clause
// The two destinations of a portable kernel: a stream, at once, or a graph that is launched later.
#pragma once
#include <stdexcept>

#include "kokkos_compat.hpp"
#include "runtime/graph.hpp"

namespace parity::compat {

/// Launches at once.
class StreamQueue {
 public:
  explicit StreamQueue(const Exec& exec) : exec_(exec) {}
  const Exec& exec() const { return exec_; }
  template <class Policy, class Functor>
  void parallel_for(const char* label, const Policy& policy, const Functor& functor) {
    Kokkos::parallel_for(label, policy, functor);
  }
  /// Makes two independent launches; the stream still runs them in order.
  template <class One, class Other>
  void side_by_side(const One& one, const Other& other) {
    one(*this);
    other(*this);
  }

 private:
  Exec exec_;
};

/// Adds each kernel to a graph, after the previous one.
class GraphQueue {
 public:
  /// forks: true makes side_by_side() add two branches.
  GraphQueue(const Exec& exec, const GraphNode& root, bool forks = false)
      : exec_(exec), last_(root), forks_(forks) {}
  /// The instance that node policies must name.
  const Exec& exec() const { return exec_; }
  template <class Policy, class Functor>
  void parallel_for(const char* label, const Policy& policy, const Functor& functor) {
    last_ = GraphNode(last_.then_parallel_for(std::string(label), policy, functor));
  }
  template <class Functor>
  void task(const char* label, const Functor& functor) {
    last_ = then_task(last_, label, functor);
  }
  /// Adds a node with the work that launch(instance) enqueues on 'exec', by capture.
  template <class Launch>
  void captured(const Exec& exec, const Launch& launch) {
    last_ = then_captured(last_, exec, launch);
  }
  /// Adds two independent launches: one(queue) and other(queue).
  template <class One, class Other>
  void side_by_side(const One& one, const Other& other) {
    GraphQueue branch = *this;
    one(*this);
    if (!forks_) return other(*this);
    other(branch);
    last_ = GraphNode(Kokkos::Experimental::when_all(last_, branch.last_));
  }
  /// Adds four copies of a kernel as branches; the next node waits for all of them.
  template <class Policy, class Functor>
  void fork(const char* label, const Policy& policy, const Functor& functor) {
    const auto branch = [&] {
      return GraphNode(last_.then_parallel_for(std::string(label), policy, functor));
    };
    const GraphNode a = branch(), b = branch(), c = branch(), d = branch();
    last_ = GraphNode(Kokkos::Experimental::when_all(a, b, c, d));
  }

 private:
  Exec exec_;
  GraphNode last_;
  bool forks_;
};

/// A Kokkos graph of the launches that body(GraphQueue&) makes.
class KokkosGraph : public runtime::Graph {
 public:
  template <class Body>
  KokkosGraph(const Exec& exec, const Body& body, bool forks = false)
      : exec_(exec), graph_(build_graph(exec, [&](const Exec& node_exec, const GraphNode& root) {
          GraphQueue queue(node_exec, root, forks);
          body(queue);
        })) {}
  void instantiate() override {
    check_launches("the kernels before a Kokkos graph");
    instantiate_graph(graph_);
    check_launches("instantiating a Kokkos graph");
  }
  void launch() override { submit_graph(graph_, exec_); }
  void update_from(const runtime::Graph&) override {
    throw std::logic_error("a Kokkos graph cannot take over arguments");
  }

 private:
  Exec exec_;
  compat::Graph graph_;
};

}  // namespace parity::compat

namespace Kokkos {

/// Launches at once or adds to a graph, depending on the queue.
template <class Queue, class Policy, class Functor>
void parallel_for(Queue& queue, const char* label, const Policy& policy, const Functor& functor) {
  queue.parallel_for(label, policy, functor);
}

}  // namespace Kokkos

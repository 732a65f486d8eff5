// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-graph: builds a Kokkos::Experimental::Graph of nodes in a line or forking to four and
// joining. Its -then and -capture forms have nodes of other kinds in a line.
#include "algorithm.hpp"
#include "backend/kokkos/launch/probe.hpp"
#include "runtime/kokkos/queue.hpp"

namespace parity::launch::graph {
namespace {

class KokkosGraph : public GraphProbe<KokkosProbe> {
 public:
  using GraphProbe<KokkosProbe>::GraphProbe;
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    const auto body = [&](compat::GraphQueue& queue) {
      const Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>> range(queue.exec(), 0, int(p_.indices()));
      with_functor<0>(work, 0, [&](const auto& functor) {
        for (int k = 0; k < count; ++k) {
          if (p_.topology == Topology::fork) queue.fork("parity::launch::branch", range, Nothing<0>{});
          queue.parallel_for("parity::launch::node", range, functor);
        }
      });
    };
    return std::make_unique<compat::KokkosGraph>(exec_, body);
  }
};

/// Builds a line of nodes; add(queue, functor) adds an event's node.
template <class Add>
std::unique_ptr<runtime::Graph> line_of(const Exec& exec, int count, const Work& work, const Add& add) {
  return std::make_unique<compat::KokkosGraph>(exec, [&](compat::GraphQueue& queue) {
    with_functor<0>(work, 0, [&](const auto& functor) {
      for (int k = 0; k < count; ++k) add(queue, functor);
    });
  });
}

template <class Functor>
struct Task {
  Functor functor;
  KOKKOS_FUNCTION void operator()() const { functor(0); }
};

class KokkosThen : public GraphProbe<KokkosProbe> {
 public:
  using GraphProbe<KokkosProbe>::GraphProbe;
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return line_of(exec_, count, work, [](compat::GraphQueue& queue, const auto& functor) {
      queue.task("parity::launch::then", Task<std::decay_t<decltype(functor)>>{functor});
    });
  }
};

class KokkosCapture : public GraphProbe<KokkosProbe> {
 public:
  using GraphProbe<KokkosProbe>::GraphProbe;
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return line_of(exec_, count, work, [this](compat::GraphQueue& queue, const auto& functor) {
      const int indices = int(p_.indices());
      queue.captured(exec_, [indices, functor](const Exec& exec) {
        Kokkos::parallel_for("parity::launch::capture",
                             Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, indices), functor);
      });
    });
  }
};

/// On a host, each launch of a graph first follows every path from its end to its root: each fork multiplies
/// their number by four (GraphNodeBackendSpecificDetails::reset_has_executed of Kokkos 3.4 and 4.6).
std::optional<std::string> why_not_forks(const Problem& p) {
  if (compat::exec_is_device() || p.topology == Topology::line || p.launches <= 8) return std::nullopt;
  return "on a host a launch of Kokkos' graph takes four times as long for each fork more; give --topology "
         "line, or --launches of at most 8";
}

}  // namespace

Entry kokkos() {
  Entry e = algorithm();
  e.kernels = true;
  e.forks = true;
  e.refuse = why_not_forks;
  return with_probe<KokkosGraph>(e);
}

Entry kokkos_then() {
  Entry e = algorithm();
  e.kernels = true;
  e.unavailable = compat::why_not_before(40600, "a graph's 'then'").value_or("");
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (p.indices() == 1) return std::nullopt;
    return "a 'then' node is one task; give --blocks 1 --threads 1";
  };
  return with_probe<KokkosThen>(e);
}

Entry kokkos_capture() {
  Entry e = algorithm();
  e.kernels = true;
  e.unavailable = compat::exec_is_device()
                      ? compat::why_not_before(40700, "a graph's capture nodes").value_or("")
                      : "a host has no launches that a graph could capture";
  return with_probe<KokkosCapture>(e);
}

}  // namespace parity::launch::graph

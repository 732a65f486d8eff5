// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-graph: nodes of a Kokkos::Experimental::Graph, in a line or forking to four and joining.
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

/// Each launch of a graph of a host space first follows every way from its end to its root: four times as
/// many for each fork more (GraphNodeBackendSpecificDetails::reset_has_executed of Kokkos 3.4 and of 4.6).
std::optional<std::string> why_not_forks(const Problem& p) {
  if (compat::exec_is_device() || p.topology == Topology::line || p.launches <= 8) return std::nullopt;
  return "on a host a launch of Kokkos' graph takes four times as long for each fork more; give --topology "
         "line, or --launches of at most 8";
}

}  // namespace

Entry kokkos() {
  Entry e = graph_algorithm();
  e.kernels = true;
  e.forks = true;
  e.refuse = why_not_forks;
  return with_probe<KokkosGraph>(e);
}

}  // namespace parity::launch::graph

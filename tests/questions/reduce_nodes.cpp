// SPDX-License-Identifier: BSD-3-Clause
// Kokkos issue 9271. A reduction keeps the sums of its blocks, and the count of finished blocks, in memory of
// its execution space instance. Graph nodes that may run at the same time have one instance, so they would
// share this memory. Four nodes sum different numbers, and every sum is exact in double.
#include <cstdio>
#include <vector>

#include "launch/work.hpp"
#include "question.hpp"

namespace parity::questions {
namespace {

using compat::Exec;
using Sum = Kokkos::View<double, Exec>;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;

constexpr int nodes = 4, submits = 500;
constexpr int indices = 64 * 256;  // per node: few enough blocks that a GPU holds those of all nodes

/// Each index adds node + 1; on a GPU it spins, so that the nodes finish together.
struct Terms {
  int node;
  std::int64_t ticks;
  KOKKOS_FUNCTION void operator()(int, double& sum) const {
    if (ticks > 0) launch::spin(ticks);
    sum += node + 1;
  }
};

double exact(int node) { return double(indices) * (node + 1); }

/// Number of wrong sums in all submits of a graph with parallel nodes, or with nodes in sequence.
int wrong_sums(const Exec& exec, bool side_by_side) {
  const std::int64_t ticks = compat::exec_is_device() ? 20000 : 0;
  std::vector<Sum> sums;
  for (int n = 0; n < nodes; ++n) sums.emplace_back("sum");
  compat::Graph graph = compat::build_graph(exec, [&](const Exec& node_exec, const compat::GraphNode& root) {
    compat::GraphNode last = root;
    for (int n = 0; n < nodes; ++n)
      last =
          compat::GraphNode((side_by_side ? root : last)
                                .then_parallel_reduce("parity::questions::sum", Range(node_exec, 0, indices),
                                                      Terms{n, ticks}, sums[std::size_t(n)]));
  });
  compat::instantiate_graph(graph);
  int wrong = 0;
  for (int s = 0; s < submits; ++s) {
    for (const Sum& sum : sums) Kokkos::deep_copy(exec, sum, -1.0);
    exec.fence();
    compat::submit_graph(graph, exec);
    compat::synchronise(exec, "a graph of reductions");
    for (int n = 0; n < nodes; ++n) {
      double found = 0;
      Kokkos::deep_copy(found, sums[std::size_t(n)]);
      if (found == exact(n)) continue;
      if (++wrong <= 3)
        std::printf("  submit %d, node %d %s: %.0f, exact %.0f\n", s, n,
                    side_by_side ? "side by side" : "in a line", found, exact(n));
    }
  }
  return wrong;
}

}  // namespace

Answer reduce_nodes() {
  const Exec exec;
  Answer answer = Answer::fine;
  for (const bool side_by_side : {false, true}) {
    const int wrong = wrong_sums(exec, side_by_side);
    std::printf("%d reduce nodes %s, %d submits: %d of %d sums wrong\n", nodes,
                side_by_side ? "side by side" : "in a line", submits, wrong, nodes * submits);
    if (wrong > 0) answer = Answer::fault;
  }
  return answer;
}

}  // namespace parity::questions

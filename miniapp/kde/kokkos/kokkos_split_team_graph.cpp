// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split-team-graph: both kernels of kokkos-split-team as one Kokkos graph. Twin of
// cuda-split-graph.
#include "kde/kokkos/split_team.hpp"

namespace parity::kde {

Entry kokkos_split_team_graph() {
  Entry e = split_team_entry("kokkos-split-team-graph", "the same as one Kokkos graph", "cuda-split-graph");
  return with_graph<SplitTeams>(e);
}

}  // namespace parity::kde

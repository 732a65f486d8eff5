// SPDX-License-Identifier: BSD-3-Clause
// graph: an event is a kernel node of a graph that is launched as a whole; the nodes form a line, or fork to
// four and join. Variants with a suffix have nodes of another kind, or repeat one kernel. Source: launch
// overheads after Zhang et al. (variants/ORIGINAL_WORKS.md), nodes after Kokkos' issue 4056. Cost: one launch
// of a graph for all events; building it is timed separately.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch::graph {

inline Entry algorithm() {
  Entry e;
  e.role = Role::graph;
  return e;
}

}  // namespace parity::launch::graph

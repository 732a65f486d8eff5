// SPDX-License-Identifier: BSD-3-Clause
// The figures of Zhang, Wahib and Matsuoka, 'Understanding the Overheads of Launching CUDA Kernels', and what
// goes beyond them, computed from records of launch sweeps.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// One launch function: what Figures 2 to 4 draw of it.
struct LaunchFunction {
  std::string variant, unit;
  std::map<std::string, const harness::Measurement*> rows;  ///< by quantity
};

/// A column of quantities along one axis.
struct Sweep {
  std::string variant, title;  ///< title: what else the rows have in common
  /// By the axis' value, by quantity.
  std::map<std::int64_t, std::map<std::string, const harness::Measurement*>> rows;
};

/// Sweeps over one parameter.
struct SweepsOver {
  const char *title, *axis;  ///< "one pass of a barrier by blocks and threads", "blocks"
  std::vector<Sweep> sweeps;
};

struct LaunchFindings {
  std::vector<LaunchFunction> functions;
  std::vector<SweepsOver> sweeps;  ///< of each parameter that has one
  bool empty() const { return functions.empty() && sweeps.empty(); }
};

/// Equation 3 of one launch function: the total latency less its three terms, each a row of its own.
struct Equation3 {
  std::string variant, unit;
  double total = 0;        ///< seconds
  harness::Estimate rest;  ///< seconds that are left, start by start
  /// Whether the interval is narrow enough to say anything: a tenth of the total on either side.
  bool decides() const { return rest.interval->high - rest.interval->low <= 0.2 * total; }
  bool holds() const { return rest.interval->contains(0); }
};
/// Of the functions that have all four quantities in least_blocks starts at least.
std::vector<Equation3> equation_3(const LaunchFindings& found);

/// What a node of a graph costs: of a kernel what one more of them adds, of another kind what one after each
/// kernel adds to that.
struct NodeCost {
  std::string kind;        ///< "kernel", "empty", "memcpy", "memset"
  std::int64_t nodes = 0;  ///< kernel nodes of the longer graph
  harness::Estimate cost;  ///< seconds
};
/// Of numbers of nodes for which both sides were measured in the same starts.
std::vector<NodeCost> node_costs(const LaunchFindings& found);

/// From measurements of the launch study that passed their check; others are passed over. Of several runs the
/// latest counts. Valid as long as 'rows' is.
LaunchFindings launch_findings(const std::vector<harness::Measurement>& rows);

}  // namespace parity::analysis

// SPDX-License-Identifier: BSD-3-Clause
// The figures of Zhang, Wahib and Matsuoka, 'Understanding the Overheads of Launching CUDA Kernels', and what
// goes beyond them, computed from records of launch sweeps.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// A median with its 95 % interval, in seconds.
struct Figure {
  double median = 0, low = 0, high = 0;
};

/// One launch function: what Figures 2 to 4 draw of it.
struct LaunchFunction {
  std::string variant, unit;
  std::map<std::string, Figure> figures;  ///< by quantity
};

/// A column of figures along one axis.
struct Sweep {
  std::string variant, title;                                  ///< title: what else the rows have in common
  std::map<std::int64_t, std::map<std::string, Figure>> rows;  ///< by axis value, by quantity
};

struct LaunchFindings {
  std::vector<LaunchFunction> functions;
  std::vector<Sweep> graphs;    ///< by nodes
  std::vector<Sweep> barriers;  ///< by blocks, a column a number of threads
  bool empty() const { return functions.empty() && graphs.empty() && barriers.empty(); }
};

/// Equation 3 of one launch function: the total latency less its three terms, each a row of its own.
struct Equation3 {
  std::string variant, unit;
  Figure rest;  ///< what is left, from the ends of the four intervals
  bool holds() const { return rest.low <= 0 && 0 <= rest.high; }
};
/// Of the functions that have all four figures.
std::vector<Equation3> equation_3(const LaunchFindings& found);

/// From measurements of the launch study that passed their check; others are passed over.
LaunchFindings launch_findings(const std::vector<harness::Measurement>& rows);

}  // namespace parity::analysis

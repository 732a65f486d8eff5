// SPDX-License-Identifier: BSD-3-Clause
// What launching costs on a device, with intervals, for predictions about programs that are not Parity's.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/records.hpp"

namespace parity::analysis {

/// Seconds, and an interval of them. Unknown: no value.
struct Figure {
  double value = 0, low = 0, high = 0;
  bool known() const { return value > 0; }
};

/// By a number, such as of nodes: along straight lines, beyond the last in proportion to the last piece.
using FigureBy = std::map<double, Figure>;
Figure at(const FigureBy& curve, double x);

/// One family's ("cuda", "kokkos", "openmp").
struct FamilyFigures {
  Figure launch;    ///< null-overhead: one more launch of a stream, or one more parallel loop on a host
  Figure interval;  ///< device-interval: one more null kernel that was in the queue already
  Figure latency;   ///< one launch and the wait for it
  Figure dependent, dependent_interval;  ///< the first two of programmatic dependent launches
  Figure barrier;                        ///< one pass of a barrier of the whole grid
  FigureBy graph_repeat;                 ///< one more launch of a graph of null kernels, by its nodes
  FigureBy graph_setup;                  ///< making, instantiating and uploading it, by its nodes
};

struct LaunchFigures {
  std::string device;
  bool gpu = false;
  std::map<std::string, FamilyFigures> family;
};

/// One for each device that the records come from. Throws runtime::UsageError where they hold no quantities
/// of launches.
std::vector<LaunchFigures> launch_figures(const harness::Records& records);

/// A device's name as it is compared: letters and digits in lower case, without vendor and marks. Two are the
/// same device's if all of it is the same: an A100 is no A10.
std::string plain_device_name(const std::string& name);

}  // namespace parity::analysis

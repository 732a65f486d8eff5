// SPDX-License-Identifier: BSD-3-Clause
// What a device's launches, memory and arithmetic cost, gathered from records of the launch study.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/records.hpp"

namespace parity::analysis {

/// Values at some sizes; between them along straight lines, beyond them as at the ends (see at()).
class Curve {
 public:
  void add(double x, double y) { points_[x] = y; }
  bool empty() const { return points_.empty(); }
  /// Linear in x between the points; beyond the last one in proportion to the last piece.
  double at(double x) const;
  double first() const { return points_.begin()->second; }
  const std::map<double, double>& points() const { return points_; }

 private:
  std::map<double, double> points_;
};

/// Seconds, as one family of variants sees them.
struct FamilyCosts {
  double launch_host = 0;       ///< one more launch of a stream, which the host's pace bounds
  double launch_device = 0;     ///< one more launch that was in the queue already
  double latency = 0;           ///< one launch and the wait for it
  double node = 0;              ///< one more node of a graph
  double dependent = 0;         ///< one more programmatic dependent launch; 0 where there is none
  double dependent_device = 0;  ///< the same where it was in the queue already
  Curve graph_repeat;           ///< one more launch of a graph, by nodes
  Curve graph_setup;            ///< making, instantiating and uploading it, by nodes
  Curve copy;                   ///< one more kernel that copies so many bytes, on the device, by bytes
  Curve copy_stream;            ///< the same as launches of a stream
  /// A kernel that touches memory but hardly moves any, with what separates it from the next.
  double kernel_floor() const { return copy.first(); }
};

/// A quantity that went into the costs, and where it stands.
struct Source {
  std::string row;    ///< variant and problem
  std::string place;  ///< file and line
  std::string run;    ///< commit that measured it
  harness::Estimate time;
};

/// Of the device (or host) that the records come from.
struct Costs {
  std::string device;                         ///< for titles
  std::map<std::string, FamilyCosts> family;  ///< "cuda", "kokkos"; none on a host
  Curve bandwidth;                            ///< bytes a second (read and written) by bytes of a field
  Curve streams;                              ///< of a copy, by bytes of both arrays: the roofs study's
  double grid_barrier = 0;                    ///< seconds a pass
  double issue_rate = 0;                      ///< warp instructions a second
  double exponential_rate = 0;                ///< exponentials a second
  double multiprocessors = 0;                 ///< of the GPU; 0 where the records do not say
  bool gpu = false;
  std::vector<Source> sources;  ///< each quantity once, in the order of the records
};

/// From rows of the launch study, on a host from copies of the roofs study: nothing of what is to be
/// explained goes in. Throws runtime::UsageError naming the plan to measure where quantities are missing, and
/// where the records of different devices are mixed.
Costs costs_of(const harness::Records& records);

}  // namespace parity::analysis

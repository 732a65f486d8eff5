// SPDX-License-Identifier: BSD-3-Clause
// Where a result's time goes: launches, bytes and the rest; and what steps of several kernels take with each
// way of launching.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/costs.hpp"

namespace parity::analysis {

/// Seconds of one sample; nothing where it was not measured.
struct TimeSplit {
  std::optional<double> launches;  ///< the model's, at what one costs in the launch study's records
  std::optional<double> bytes;     ///< the model's, at the bandwidth of the same run's copy
  std::optional<double> rest;      ///< of the measured time; below 0 if launches run beside kernels
  bool known() const { return launches || bytes; }
};

class TimeSplits {
 public:
  /// From the launch study's rows and the copies of all others.
  explicit TimeSplits(const std::vector<harness::Measurement>& rows);
  /// A kernel in a graph costs a node. Small copies are mostly launches, so that the fastest copy of fields
  /// as large or larger counts.
  TimeSplit of(const harness::Measurement& row) const;
  /// Of every device whose launches were measured.
  const std::vector<LaunchFigures>& figures() const { return figures_; }

 private:
  double bandwidth_for(const harness::Measurement& row) const;

  std::vector<LaunchFigures> figures_;
  /// Bytes per second by bytes of a field, by run and family.
  std::map<std::pair<std::string, harness::Family>, std::map<double, double>> copies_;
};

/// What is printed: of rates of one rank the latest run, of several tunings the fastest, problem by problem.
/// Valid as long as 'rows' is.
std::vector<const harness::Measurement*> rows_to_split(const std::vector<harness::Measurement>& rows);

/// A step of kernels of this duration, in seconds; 0 where it was not measured.
struct WaysToLaunch {
  double kernel = 0;  ///< what a kernel takes by itself
  double stream = 0, graph = 0, dependent = 0, barrier = 0, fused = 0;
  double break_even = 0;  ///< steps from which the graph's setup pays
  /// Whether a way takes at least 10 % less than launching one by one.
  bool pays(double seconds) const { return seconds > 0 && seconds < 0.9 * stream; }
};
WaysToLaunch ways_to_launch(const FamilyCosts& costs, double kernel_seconds, int kernels);
/// For steps of so many kernels, from short ones to long ones; empty without the costs of launches and
/// graphs.
std::vector<WaysToLaunch> ways_to_launch(const FamilyCosts& costs, int kernels);

}  // namespace parity::analysis

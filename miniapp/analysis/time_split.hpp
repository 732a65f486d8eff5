// SPDX-License-Identifier: BSD-3-Clause
// Divides a result's time into launches, bytes and the rest; and estimates the time of steps of several
// kernels for each way of launching.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/costs.hpp"

namespace parity::analysis {

/// Seconds of one sample; nullopt if they are unknown.
struct TimeSplit {
  std::optional<double> launches;  ///< the model's, at the cost of one in the launch study's records
  std::optional<double> bytes;     ///< the model's, at the bandwidth of the same run's copy
  std::optional<double> rest;      ///< rest of the measured time; negative if launches overlap kernels
  bool known() const { return launches || bytes; }
};

class TimeSplits {
 public:
  /// Uses the launch study's results and the copies of all others.
  explicit TimeSplits(const std::vector<harness::Measurement>& rows);
  /// A kernel in a graph costs a node. Small copies are mostly launches, so the fastest copy of fields of at
  /// least the same size counts.
  TimeSplit of(const harness::Measurement& row) const;
  /// The costs of every device whose launches were measured.
  const std::vector<LaunchFigures>& figures() const { return figures_; }

 private:
  double bandwidth_for(const harness::Measurement& row) const;

  std::vector<LaunchFigures> figures_;
  /// Bytes per second by the bytes of a field, by run and family.
  std::map<std::pair<std::string, harness::Family>, std::map<double, double>> copies_;
};

/// The results to print: rates of one rank, from the latest run, with the fastest tuning, problem by problem.
/// Valid as long as 'rows' is.
std::vector<const harness::Measurement*> rows_to_split(const std::vector<harness::Measurement>& rows);

/// Seconds per step of kernels of this duration; 0 if they were not measured.
struct WaysToLaunch {
  double kernel = 0;  ///< duration of one kernel
  double stream = 0, graph = 0, dependent = 0, barrier = 0, fused = 0;
  double break_even = 0;  ///< steps from which the graph's setup pays off
  /// True if it takes at least 10 % less than launching one by one.
  bool pays(double seconds) const { return seconds > 0 && seconds < 0.9 * stream; }
};
WaysToLaunch ways_to_launch(const FamilyCosts& costs, double kernel_seconds, int kernels);
/// For steps of so many kernels, from short to long kernels; empty without the costs of launches and graphs.
std::vector<WaysToLaunch> ways_to_launch(const FamilyCosts& costs, int kernels);

}  // namespace parity::analysis

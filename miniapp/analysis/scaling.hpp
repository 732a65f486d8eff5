// SPDX-License-Identifier: BSD-3-Clause
// A model of weak and strong scaling from what one rank and single messages were measured to take: held
// against rows of several ranks, and carried on to more of them.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// Seconds by a size: straight lines between what was measured; beyond both ends the next line goes on. Of
/// one size alone the time is in proportion ('from_zero') or the same for all.
class TimeBySize {
 public:
  explicit TimeBySize(bool from_zero) : from_zero_(from_zero) {}
  /// Of a size that is there already the shorter time counts.
  void add(double size, double seconds);
  bool empty() const { return times_.empty(); }
  std::size_t sizes() const { return times_.size(); }
  double smallest() const { return times_.begin()->first; }
  double largest() const { return times_.rbegin()->first; }
  /// Never negative; needs a size.
  double seconds(double size) const;

 private:
  std::map<double, double> times_;
  bool from_zero_;
};

/// How the time of a row's messages adds to that of its kernels.
enum class Overlap { none, hidden };

/// A row of several ranks. Seconds of a step.
struct ScaledRow {
  const harness::Measurement* row = nullptr;
  int ranks = 1;
  double measured = 0;
  std::optional<double> weak, strong;  ///< efficiencies against a row of one rank, where there is one
  std::string missing;                 ///< what the records lack for a prediction; empty: there is one
  double kernel = 0, messages = 0, predicted = 0;
  /// Share by which the prediction is off: 0.1 is 10 % too long.
  double error() const { return predicted / measured - 1; }
};

/// What the model says of so many ranks.
struct Extrapolated {
  std::string name;     ///< variant[/tuning]
  std::string problem;  ///< "4096x4096x64 float": a rank's (weak), or all ranks' (strong)
  std::string device;   ///< that one rank was measured on
  bool strong = false;
  int ranks = 1;
  double kernel = 0, messages = 0, seconds = 0, efficiency = 1;
  bool beyond = false;  ///< whether a part or its messages are smaller or larger than any that was measured
};

/// A machine as its makers describe it.
struct PublishedMachine {
  const char* name;
  double bytes_per_second;          ///< of its memory
  double link_bytes_per_second;     ///< from one GPU to another of the node, one way
  double network_bytes_per_second;  ///< of a GPU's share of a node's network, one way
  const char* source;
};
const std::vector<PublishedMachine>& published_machines();

/// Never measured: traffic over published bandwidths, weak scaling.
struct MachinePrediction {
  const PublishedMachine* machine = nullptr;
  std::string name, problem;
  double one = 0, node = 0, many = 0;  ///< seconds of a step: one GPU, those of a node, many nodes
};

struct Scaling {
  std::vector<ScaledRow> rows;
  std::vector<Extrapolated> extrapolated;
  std::vector<MachinePrediction> predictions;
  std::vector<std::string> assumptions;
};

/// most_ranks: up to which powers of two are extrapolated. Throws runtime::UsageError where no verified row
/// of several ranks is there. Valid as long as 'rows' is.
Scaling scaling_of(const std::vector<harness::Measurement>& rows, int most_ranks, int ranks_per_node);

}  // namespace parity::analysis

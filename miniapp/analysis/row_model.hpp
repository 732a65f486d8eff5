// SPDX-License-Identifier: BSD-3-Clause
// A row on a GPU as its model sees it: known seconds, and how often what only other rows can tell occurs in
// it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/explain.hpp"

namespace parity::analysis {

struct RowModel {
  std::string kernel;         ///< without tuning and mechanism
  Explained row;              ///< names, measured time, traffic; its terms are made last
  double once = 0;            ///< one launch and the wait for it, beyond what follows
  double host = 0;            ///< what launching takes the host, if it is slower than the device
  double gaps = 0;            ///< between kernels on the device
  double touch = 0;           ///< the first bytes of each kernel
  Terms work{};               ///< moving and computing, already overlapped
  double chained = 0;         ///< instructions that wait for each other, of all kernels one after the other
  double alone = 0;           ///< instructions of one warp, of the same
  bool samples_wait = false;  ///< whether a sample has a beginning and an end that no launch study sees
};

/// Time of terms that overlap: more than the longest, less than their sum. The exponent 3 lies between 1 (one
/// after the other) and infinity (the longest alone); see 'parity explain' in variants/README.md.
struct Overlapped {
  Terms terms{};  ///< each one's share of the total
  double total = 0;
};
Overlapped overlapped(const Terms& alone);

double predicted(const RowModel& model, const Latencies& latencies);
/// The row with its terms; they add up to what is predicted.
Explained finished(const RowModel& model, const Latencies& latencies);

/// From all models whose algorithm is another one: those latencies with which the logarithms of predicted
/// over measured times are least in the mean. Zeros where fewer than 20 rows are left.
Latencies latencies_without(const std::string& algorithm, const std::vector<RowModel>& models);

/// nullopt with a reason in 'why' where the model has no term for what the row does.
std::optional<RowModel> device_model(const harness::Measurement& row, const Costs& costs,
                                     const KernelTable& kernels, std::string& why);

}  // namespace parity::analysis

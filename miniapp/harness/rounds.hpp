// SPDX-License-Identifier: BSD-3-Clause
// Times trials against each other: interleaved rounds in rotating order, so that drift hits all of them
// alike.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/choice.hpp"
#include "harness/trial.hpp"

namespace parity::harness {

struct RunOptions {
  int repeats = 32;      ///< samples of each variant at most
  int enough = 9;        ///< samples after which a tight interval may end the rounds
  double tight = 0.005;  ///< relative half-width of the median's interval that counts as tight
  int warmup = 1;        ///< untimed runs before the first sample, the checked one included
  double time_cap = 60;  ///< seconds for all rounds of one problem; at least one sample each is always taken
};

/// Told what runs next.
using Note = std::function<void(const std::string&)>;

/// A trial with the row that gets its samples.
struct Running {
  const Choice* choice = nullptr;
  std::unique_ptr<Trial> trial;
  Measurement row;
  std::string refused = {};  ///< why it dropped out, found out while it ran
};

/// Runs until every trial has its repeats, all intervals are tight, or the time is used up. Throws
/// runtime::Interrupted on a signal.
void run_rounds(const std::vector<Running*>& trials, const RunOptions& options, const Note& note = {});

}  // namespace parity::harness

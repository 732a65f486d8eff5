// SPDX-License-Identifier: BSD-3-Clause
// Times trials against each other: interleaved rounds in rotating order, so that drift hits all of them
// alike.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "harness/choice.hpp"
#include "harness/energy.hpp"
#include "harness/trial.hpp"

namespace parity::harness {

struct RunOptions {
  int repeats = 32;      ///< samples of each row, of all blocks together
  int blocks = 5;        ///< starts of the program that they are spread over
  int block = 1;         ///< the one that is measured
  int warmup = 1;        ///< untimed runs of each block before its first sample, the checked one included
  double time_cap = 60;  ///< seconds for the samples of one row, of all blocks together

  const EnergyProbe* energy = nullptr;  ///< counts joules of each row that is timed; null: none are wanted

  /// Samples that every row gets, however long they take.
  static constexpr int least_repeats = 9;

  /// Blocks that have a sample.
  int blocks_needed() const { return std::min(blocks, repeats); }
  int repeats_in_block() const { return share(repeats); }
  int least_in_block() const { return std::min(share(least_repeats), repeats_in_block()); }
  double time_cap_in_block() const { return time_cap / blocks_needed(); }

 private:
  int share(int samples) const { return (samples + blocks_needed() - 1) / blocks_needed(); }
};

/// Told what runs next.
using Note = std::function<void(const std::string&)>;

/// A trial with the row that gets its samples.
struct Running {
  const Choice* choice = nullptr;
  std::unique_ptr<Trial> trial;
  Measurement row;
  std::string refused = {};  ///< why it dropped out, found out while it ran
  double seconds = 0;        ///< that its samples took
};

/// One block: each trial has its turn until it has its repeats, or used up its own time. Throws
/// runtime::Interrupted on a signal.
void run_rounds(const std::vector<Running*>& trials, const RunOptions& options, const Note& note = {});

}  // namespace parity::harness

// SPDX-License-Identifier: BSD-3-Clause
// Prepares, verifies and times choices on one problem of any study. All ranks call it together; rank 0 makes
// the decisions that depend on time, memory or verdicts.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/study.hpp"

namespace parity::harness {

/// A trial with the result that receives its samples.
struct Running {
  const Choice* choice = nullptr;
  std::unique_ptr<Trial> trial;
  Measurement row;
  std::string refused = {};  ///< why it dropped out while running
  double seconds = 0;        ///< time spent on its samples
};

/// Times trials in interleaved rounds of rotating order, so that drift affects all alike. Each trial runs
/// until it has its repeats or has used up its time. Throws runtime::Interrupted on a signal.
void run_rounds(const std::vector<Running*>& trials, const RunOptions& options, const Note& note = {});

struct Measured {
  std::vector<Measurement> rows;
  std::vector<SkippedRow> skipped;  ///< in this process
};

/// Measures each choice that can run, in order. Choices share rounds if they fit into memory together.
/// note(what) announces work; on_row is called as soon as a result is final. A choice that fails its check
/// gets a result with its error and no samples. Throws runtime::UsageError if one does not fit into memory.
Measured measure(const Task& task, const std::vector<Choice>& choices, const RunOptions& options,
                 const Note& note = {}, const std::function<void(const Measurement&)>& on_row = {});

/// The fields of a result that are known before it runs; its key identifies it in a record file.
Measurement blank_row(const Task& task, const Choice& choice);

/// Throws runtime::UsageError when one of the choices that can run does not fit into memory.
void require_memory(const Task& task, const std::vector<Choice>& choices);

}  // namespace parity::harness

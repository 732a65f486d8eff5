// SPDX-License-Identifier: BSD-3-Clause
// Prepares, verifies and times choices on one problem, whatever the study: the one loop. All ranks run it
// together; what depends on time, memory or what failed is rank 0's decision.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/study.hpp"

namespace parity::harness {

/// A trial with the row that gets its samples.
struct Running {
  const Choice* choice = nullptr;
  std::unique_ptr<Trial> trial;
  Measurement row;
  std::string refused = {};  ///< why it dropped out, found out while it ran
  double seconds = 0;        ///< that its samples took
};

/// One block, in interleaved rounds of rotating order, so that drift hits all trials alike: each has its turn
/// until it has its repeats, or used up its own time. Throws runtime::Interrupted on a signal.
void run_rounds(const std::vector<Running*>& trials, const RunOptions& options, const Note& note = {});

struct Measured {
  std::vector<Measurement> rows;
  std::vector<SkippedRow> skipped;  ///< in this process
};

/// One row for each choice that can run, in order. Choices share rounds as far as memory lets them live side
/// by side. note(what) announces work; on_row is called as soon as a row is final. A choice that fails its
/// check gets a row with its error and no samples. Throws runtime::UsageError where one does not fit into
/// memory.
Measured measure(const Task& task, const std::vector<Choice>& choices, const RunOptions& options,
                 const Note& note = {}, const std::function<void(const Measurement&)>& on_row = {});

/// What is known of a row before it runs; its key identifies it in a file of records.
Measurement blank_row(const Task& task, const Choice& choice);

/// Throws runtime::UsageError when one of the choices that can run does not fit into memory.
void require_memory(const Task& task, const std::vector<Choice>& choices);

}  // namespace parity::harness

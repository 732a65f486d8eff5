// SPDX-License-Identifier: BSD-3-Clause
// Prepares, verifies and times choices on one problem, whatever the study: the one loop.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/study.hpp"

namespace parity::harness {

struct Measured {
  std::vector<Measurement> rows;
  std::vector<SkippedRow> skipped;  ///< in this start
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

/// Bytes a second of a copy of 'bytes' bytes where the variant's memory is; measured once for each size.
double copy_bandwidth(bool on_device, std::int64_t bytes);

}  // namespace parity::harness

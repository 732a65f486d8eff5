// SPDX-License-Identifier: BSD-3-Clause
// Prepares, verifies and times the variants of one problem, whatever the study.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "study/memory.hpp"
#include "study/records.hpp"
#include "study/runner.hpp"

namespace parity::study {

/// One variant on one problem, as a study hands it to the measuring loop.
struct Subject {
  Row row;          ///< everything known before the run
  MemoryNeed need;  ///< what the variant allocates
  std::function<std::unique_ptr<Execution>()> make;
  std::function<void(Execution&)> load;  ///< untimed: the input back in place, everything else poisoned
  std::function<void(Execution&)>
      prepare;  ///< records and instantiates, after a plain run; empty: nothing to do
  std::function<void(Execution&)> store;  ///< fetches the result
  std::function<Verdict()> check;         ///< judges what store fetched, and poisons it
};

/// One row each, in order. Variants share rounds as far as 'free' memory lets them live side by side.
/// before(what) announces work; on_row is called as soon as a row is final. A variant that fails its check
/// gets a row with its error and no samples.
std::vector<Row> measure_subjects(const std::vector<Subject>& subjects, const MemoryNeed& free,
                                  const RunOptions& options,
                                  const std::function<void(const std::string&)>& before,
                                  const std::function<void(const Row&)>& on_row);

struct Measured {
  std::vector<Row> rows;
  std::vector<std::pair<std::string, std::string>> skipped;  ///< names with the reason
};

/// The skipped rows with the same reason together: (reason, names).
std::vector<std::pair<std::string, std::vector<std::string>>> by_reason(const Measured& measured);

/// Throws UsageError when a variant does not fit; data: what checking needs on the host besides; fix: what
/// the user can reduce.
void require_memory(const std::string& name, const std::string& problem, const MemoryNeed& need,
                    const MemoryNeed& free, double data, const std::string& fix);

/// Free memory of host and GPU less a tenth (allocators, work space) and 'data' bytes of host memory.
MemoryNeed free_memory(double data);

/// Bytes a second of a copy of 'bytes' bytes where the variant's memory is.
double copy_bandwidth(bool on_device, std::int64_t bytes);

}  // namespace parity::study

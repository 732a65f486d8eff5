// SPDX-License-Identifier: BSD-3-Clause
// Measures a set of variants on one problem, in one process, on the same data.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "diffusion/selection.hpp"
#include "study/records.hpp"
#include "study/runner.hpp"

namespace parity::diffusion {

/// What a run needs at most, in bytes.
struct MemoryNeed {
  double host = 0, device = 0;
};
MemoryNeed memory_need(const Problem& problem, const Entry& entry);

/// Throws UsageError when not even one of the variants fits with the data that checking needs.
void check_memory(const Problem& problem, const std::vector<Selected>& selected);

struct Measured {
  std::vector<study::Row> rows;
  std::vector<std::pair<Selected, std::string>> skipped;  ///< with the reason
};

/// Prepares, times and verifies. Variants share rounds as far as memory lets them live side by side.
/// before(what, done, of) announces work; on_row is called as soon as a row is final.
/// A variant that fails verification gets a row with its error and no samples.
Measured measure(const Problem& problem, const std::vector<Selected>& selected,
                 const study::RunOptions& options, const std::function<void(const std::string&)>& before = {},
                 const std::function<void(const study::Row&)>& on_row = {});

/// The problem as it stands in records.
nlohmann::json to_json(const Problem& problem);

}  // namespace parity::diffusion

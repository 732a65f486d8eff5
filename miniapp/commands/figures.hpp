// SPDX-License-Identifier: BSD-3-Clause
// What the report draws, as JSON: each figure has a title and panels; a panel has lines of points
// [x, value, low, high] over logarithmic axes, or named rows of marks with their intervals.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/launch_findings.hpp"
#include "harness/measurement.hpp"

namespace parity::commands {

/// "Diffusion filter", and what figures show of its rows: "us a step".
std::string title_of(const std::string& study);
std::string unit_of(const std::string& study);

/// The problem as titles name it, without some of its parameters: "512 x 512 x 64, N = 32, float".
std::string problem_words(const harness::Measurement& row, const std::vector<std::string>& without = {});

/// Every figure that the rows of one commit and device make; 'launches' are their launch findings.
nlohmann::json figures_of(const std::vector<harness::Measurement>& rows,
                          const analysis::LaunchFindings& launches);

}  // namespace parity::commands

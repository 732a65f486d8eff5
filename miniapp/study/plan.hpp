// SPDX-License-Identifier: BSD-3-Clause
// A measurement plan: which problems, which variants, how carefully.
#pragma once
#include <string>
#include <vector>

#include "diffusion/selection.hpp"
#include "study/runner.hpp"

namespace parity::study {

/// What a plan file says. The problems are the product of its axes.
struct Plan {
  std::vector<std::string> variants{"*"};
  std::vector<diffusion::Problem> problems;
  diffusion::Tunings tunings;
  RunOptions options;
};

/// Reads a TOML plan. Throws UsageError naming the file, the key and what it takes: unknown keys (with the
/// nearest), wrong types, empty axes, values out of range.
Plan read_plan(const std::string& path);

/// Reads only the [tunings] table of a TOML file.
diffusion::Tunings read_tunings(const std::string& path);

}  // namespace parity::study

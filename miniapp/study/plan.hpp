// SPDX-License-Identifier: BSD-3-Clause
// A measurement plan: which problems, which variants, how carefully.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "study/case.hpp"
#include "study/selection.hpp"

namespace parity::study {

/// What a plan file says. The cases are the product of its axes, each with the selected variants.
struct Plan {
  std::vector<std::unique_ptr<Case>> cases;
  RunOptions options;
};

/// Reads a TOML plan. Throws UsageError naming the file, the key and what it takes: unknown keys (with the
/// nearest), wrong types, empty axes, values out of range.
Plan read_plan(const std::string& path);

/// Reads only the [tunings] table of a TOML file, with keys "study/variant".
Tunings read_tunings(const std::string& path);

}  // namespace parity::study

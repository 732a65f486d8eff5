// SPDX-License-Identifier: BSD-3-Clause
// Several files of records beside each other, for parity compare.
#pragma once
#include <string>
#include <vector>

#include "analysis/compare.hpp"
#include "commands/sheet.hpp"
#include "harness/records.hpp"

namespace parity::commands {

struct BesideOptions {
  std::vector<std::string> files;
  double factor = 1.1;
  bool pairs = false;  ///< ratios of pairs in place of times of rows
  bool all = false;    ///< with those that did not change
};

/// A change as tables say it.
const char* word_of(analysis::Change change);

/// Prints what changed since the first file, with its value in each, and how much changed in all. The sheet
/// has every row or pair and file. Returns the exit code; throws runtime::UsageError where the files have
/// nothing in common.
int print_beside(const BesideOptions& options, const std::vector<harness::Records>& records, Sheet& sheet);

}  // namespace parity::commands

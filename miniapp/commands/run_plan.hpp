// SPDX-License-Identifier: BSD-3-Clause
// From a plan to measured rows: the one path of 'parity measure' and of the studies' commands.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/plan.hpp"
#include "harness/records.hpp"

namespace parity::commands {

/// What a command wants of a plan's rows.
struct Request {
  std::string output = {};  ///< the file of records; empty or a stream: rows wait in memory
  harness::Existing existing = harness::Existing::refuse;
  std::string json = {}, csv = {}, slice = {}, baseline = {};
  std::vector<std::string> inputs = {};  ///< files that are read, which no output may replace
  bool energy = false, quiet = false;
  bool overridden = false;  ///< whether rows from before were measured by other options
  bool tables = false;      ///< a table for each problem, in place of a line for each row
  std::function<void(const std::vector<harness::Measurement>&)> at_end = {};
};

/// Measures what the file of records does not hold yet, in this process's block. All ranks call it together;
/// rank 0 writes, prints and decides. Returns an exit code.
int run_plan(harness::Plan plan, const Request& request);

}  // namespace parity::commands

// SPDX-License-Identifier: BSD-3-Clause
// A measurement plan: which problems, which variants, how carefully.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/selection.hpp"
#include "harness/study.hpp"

namespace parity::harness {

/// One problem of a plan with the variants selected for it.
struct Case {
  std::unique_ptr<Task> task;
  std::vector<Choice> choices;
};

/// What a plan file says. The cases are the product of its axes.
struct Plan {
  const Study* study = nullptr;
  std::vector<Case> cases;
  RunOptions options;
};

/// What replaces a plan's own words.
struct Overrides {
  std::vector<std::string> variants;
  std::vector<std::string> axes;  ///< "precision=float,double", "size=[64, 64, 16]": lists of every [axes]
  std::string tunings;            ///< a file of tunings; empty: the plan's own only
  std::optional<int> repeats, starts;
  std::optional<double> time_cap;
};

/// Reads a TOML plan of one of the studies (of the first where it names none). Throws runtime::UsageError
/// naming the file, the key and what it takes: unknown keys (with the nearest), wrong types, empty axes,
/// values out of range, no axes or variants at all.
Plan read_plan(const Studies& studies, const std::string& path, const Overrides& overrides = {});

/// Reads a TOML file's table [tunings], with keys "study/variant", and tables [[tuned]], each with a problem
/// and the tunings that hold there. A plan may be such a file.
TuningFile read_tunings(const Studies& studies, const std::string& path);

/// Puts a file's tunings in the place of those that nobody asked for.
void use_tunings(const Study& study, const TuningFile& tunings, std::vector<Case>& cases);

/// Throws runtime::UsageError where lists make more problems than a run can have, before they are multiplied
/// out.
void check_count(const std::string& where, double problems);

/// The cases of a product: 'axes' holds the values of each parameter (its standard value where there are
/// none), varied from the last to the first. Each distinct problem once. 'where' stands before messages.
std::vector<Case> product(const Study& study, const std::map<std::string, std::vector<Value>>& axes,
                          const std::vector<Choice>& choices, const std::string& where = "");

}  // namespace parity::harness

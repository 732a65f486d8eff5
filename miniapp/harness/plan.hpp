// SPDX-License-Identifier: BSD-3-Clause
// A measurement plan: problems, variants (a user's words kernel[+mechanism][/tuning], resolved against a
// study's registry) and options.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/study.hpp"

namespace parity::harness {

/// Default tunings that replace the first of an entry's list, by "study/variant".
using Tunings = std::map<std::string, std::string>;

/// Contents of a tuning file.
struct TuningFile {
  Tunings everywhere;
  std::map<std::string, Tunings> of_problem;  ///< keyed by text_of(values)
};

/// Resolves words such as "kokkos-fused", "diffusion/kokkos-*", "cuda-fused/8x32", "kokkos-fused/*" (all
/// tunings), "cuda-baseline+graph-two" or "*-baseline+*" (all mechanisms of the kernel), in the registry's
/// order, each choice once. Without a mechanism the plain one is used. Throws runtime::UsageError with the
/// nearest names if a word selects nothing.
std::vector<Choice> select(const Study& study, const std::vector<std::string>& words,
                           const Tunings& tunings = {});

/// True if the word names a variant of the study.
bool is_of(const Study& study, const std::string& word);

/// Replaces default tunings that the user did not choose. A tuning for kernel and mechanism takes precedence
/// over one for the kernel.
void use_tunings(const Study& study, const Tunings& tunings, std::vector<Choice>& choices);

/// The one choice that a name selects, with its default tuning.
Choice choice_of(const Study& study, const std::string& name);

/// Throws runtime::UsageError for a study without tunings, an unknown variant or an invalid tuning.
void check_tunings(const Studies& studies, const Tunings& tunings);

/// One problem of a plan with the variants selected for it.
struct Case {
  const Study* study = nullptr;
  std::unique_ptr<Task> task;
  std::vector<Choice> choices;
};

/// Contents of a plan file. The cases are the products of its axes.
struct Plan {
  std::vector<Case> cases;
  RunOptions options;

  /// The distinct studies of its cases.
  Studies studies() const;
};

/// Values that replace the plan's own.
struct Overrides {
  std::vector<std::string> variants;
  std::vector<std::string> axes;  ///< "precision=float,double", "size=[64, 64, 16]": lists of every [axes]
  std::string tunings;            ///< a tuning file; empty: the plan's own only
  std::optional<int> repeats, processes;
  std::optional<double> time_cap;
};

/// Reads a TOML plan of one of the studies (the first if it names none). A table [[axes]] may name its own
/// study and variants. Throws runtime::UsageError naming the file, the key and its range for unknown keys
/// (with the nearest), wrong types, empty axes, values out of range, and missing axes or variants.
Plan read_plan(const Studies& studies, const std::string& path, const Overrides& overrides = {});

/// Reads a TOML file's table [tunings], with keys "study/variant", and tables [[tuned]], each with a problem
/// and its tunings. A plan may be such a file.
TuningFile read_tunings(const Studies& studies, const std::string& path);

/// Replaces tunings that the user did not choose with those of the file.
void use_tunings(const TuningFile& tunings, std::vector<Case>& cases);

/// Throws runtime::UsageError if lists make more problems than a run can have. Call it before expanding them.
void check_count(const std::string& where, double problems);

/// The cases of a product: 'axes' holds the values of each parameter (its standard value if missing); the
/// last parameter varies fastest. Each distinct problem occurs once. 'where' begins messages.
std::vector<Case> product(const Study& study, const std::map<std::string, std::vector<Value>>& axes,
                          const std::vector<Choice>& choices, const std::string& where = "");

}  // namespace parity::harness

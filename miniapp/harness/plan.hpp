// SPDX-License-Identifier: BSD-3-Clause
// A measurement plan: which problems, which variants (a user's words kernel[+mechanism][/tuning], resolved
// against a study's registry), how carefully.
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

/// What a file of tunings says.
struct TuningFile {
  Tunings everywhere;
  std::map<std::string, Tunings> of_problem;  ///< by text_of(values)
};

/// Words such as "kokkos-fused", "diffusion/kokkos-*", "cuda-fused/8x32", "kokkos-fused/*" (all tunings),
/// "cuda-baseline+graph-two" or "*-baseline+*" (all mechanisms that the kernel knows), in the registry's
/// order, each row once. Without a mechanism the plain one is meant. Throws runtime::UsageError with the
/// nearest names for a word that selects nothing.
std::vector<Choice> select(const Study& study, const std::vector<std::string>& words,
                           const Tunings& tunings = {});

/// Whether such a word names a variant of the study.
bool is_of(const Study& study, const std::string& word);

/// Puts them in the place of tunings that nobody asked for; those of kernel and mechanism before those of the
/// kernel.
void use_tunings(const Study& study, const Tunings& tunings, std::vector<Choice>& choices);

/// The one choice that a name means, with its default tuning.
Choice choice_of(const Study& study, const std::string& name);

/// Throws runtime::UsageError for a study without tunings, a variant it does not have, or what is no tuning
/// of it.
void check_tunings(const Studies& studies, const Tunings& tunings);

/// One problem of a plan with the variants selected for it.
struct Case {
  const Study* study = nullptr;
  std::unique_ptr<Task> task;
  std::vector<Choice> choices;
};

/// What a plan file says. The cases are the products of its axes.
struct Plan {
  std::vector<Case> cases;
  RunOptions options;

  /// Those of its cases, each once.
  Studies studies() const;
};

/// What replaces a plan's own words.
struct Overrides {
  std::vector<std::string> variants;
  std::vector<std::string> axes;  ///< "precision=float,double", "size=[64, 64, 16]": lists of every [axes]
  std::string tunings;            ///< a file of tunings; empty: the plan's own only
  std::optional<int> repeats, processes;
  std::optional<double> time_cap;
};

/// Reads a TOML plan of one of the studies (of the first where it names none). A table [[axes]] may name its
/// own study and variants. Throws runtime::UsageError naming the file, the key and what it takes: unknown
/// keys (with the nearest), wrong types, empty axes, values out of range, no axes or variants at all.
Plan read_plan(const Studies& studies, const std::string& path, const Overrides& overrides = {});

/// Reads a TOML file's table [tunings], with keys "study/variant", and tables [[tuned]], each with a problem
/// and the tunings that hold there. A plan may be such a file.
TuningFile read_tunings(const Studies& studies, const std::string& path);

/// Puts a file's tunings in the place of those that nobody asked for.
void use_tunings(const TuningFile& tunings, std::vector<Case>& cases);

/// Throws runtime::UsageError where lists make more problems than a run can have, before they are multiplied
/// out.
void check_count(const std::string& where, double problems);

/// The cases of a product: 'axes' holds the values of each parameter (its standard value where there are
/// none), varied from the last to the first. Each distinct problem once. 'where' stands before messages.
std::vector<Case> product(const Study& study, const std::map<std::string, std::vector<Value>>& axes,
                          const std::vector<Choice>& choices, const std::string& where = "");

}  // namespace parity::harness

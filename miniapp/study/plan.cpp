// SPDX-License-Identifier: BSD-3-Clause
#include "study/plan.hpp"

#include "diffusion/measure.hpp"
#include "diffusion/plan.hpp"
#include "kde/measure.hpp"
#include "kde/plan.hpp"
#include "launch/measure.hpp"
#include "launch/plan.hpp"
#include "study/toml_table.hpp"

namespace parity::study {
namespace {

toml::table parse(const std::string& path) {
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& e) {
    const auto line = e.source().begin.line;
    throw UsageError(line > 0 ? fmt::format("{}: line {}: {}", path, line, e.description())
                              : fmt::format("{}: {}", path, e.description()));
  }
}

Tunings tunings_of(Table&& t) {
  Tunings tunings;
  if (!t.raw()) return tunings;
  for (const auto& [key, node] : *t.raw()) {
    std::string name(key.str());
    const std::string text = t.checked<std::string>(name, node, "", "");
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) name = "diffusion/" + name;
    const std::string study = name.substr(0, name.find('/'));
    if (study != "diffusion" && study != "kde")
      t.fail(name, "is no study with tunings; give diffusion/... or kde/...");
    tunings[name] = text;
  }
  check_tunings("diffusion", bases_of(diffusion::registry()), tunings);
  check_tunings("kde", bases_of(kde::registry()), tunings);
  return tunings;
}

/// The cases of one study; selected(problem): the variants of a problem.
template <class Problem, class SelectedOf>
void add_cases(const std::string& path, const std::vector<Problem>& problems, const SelectedOf& selected,
               std::vector<std::unique_ptr<Case>>& cases) {
  using Selected = typename decltype(selected(problems.front()))::value_type;
  for (const Problem& p : problems) {
    try {
      validate(p);
    } catch (const UsageError& e) {
      throw UsageError(fmt::format("{}: {}: {}", path, describe(p), e.what()));
    }
    std::vector<Selected> of_problem = selected(p);
    if (!of_problem.empty())
      cases.push_back(std::make_unique<TypedCase<Problem, Selected>>(p, std::move(of_problem)));
  }
}

}  // namespace

Plan read_plan(const std::string& path) {
  const toml::table file = parse(path);
  Table top(path, "", &file);
  Plan plan;
  const std::string study = top.values<std::string>("study", {"diffusion"}).front();
  if (study != "diffusion" && study != "kde" && study != "launch")
    top.fail("study", fmt::format("is '{}'; the studies of this build are: diffusion kde launch", study));
  const auto variants = top.values<std::string>("variants", {"*"});
  std::vector<diffusion::Problem> diffusion_problems;
  std::vector<kde::Problem> kde_problems;
  std::vector<launch::Problem> launch_problems;
  const auto add = [](auto& problems, const auto& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  for (Table& axes : top.tables("axes")) {
    if (study == "diffusion") add(diffusion_problems, diffusion::problems_of(axes));
    if (study == "kde") add(kde_problems, kde::problems_of(axes));
    if (study == "launch") add(launch_problems, launch::problems_of(axes));
  }

  Table measure = top.table("measure");
  RunOptions& o = plan.options;
  o.repeats = int(measure.value<std::int64_t>("repeats", o.repeats, 1, 100000));
  o.enough = int(measure.value<std::int64_t>("enough", o.enough, 1, 100000));
  o.warmup = int(measure.value<std::int64_t>("warmup", o.warmup, 1, 1000));
  o.tight = measure.value<double>("tight", o.tight, 0, 1);
  o.time_cap = measure.value<double>("time_cap", o.time_cap, 0, 1e6);
  measure.no_others();

  const Tunings tunings = tunings_of(top.table("tunings"));
  top.no_others();
  if (study == "diffusion") {
    const auto selected = diffusion::select(diffusion::registry(), variants, tunings);
    add_cases(
        path, diffusion_problems, [&](const auto&) { return selected; }, plan.cases);
  } else if (study == "kde") {
    const auto selected = kde::select(kde::registry(), variants, tunings);
    add_cases(
        path, kde_problems, [&](const auto&) { return selected; }, plan.cases);
  } else {
    const auto selected = launch::select(launch::registry(), variants);
    add_cases(
        path, launch_problems, [&](const auto& p) { return launch::those_for(selected, p); }, plan.cases);
    if (plan.cases.empty()) top.fail("variants", "none of them has any of the quantities");
  }
  return plan;
}

Tunings read_tunings(const std::string& path) {
  const toml::table file = parse(path);
  Table top(path, "", &file);
  return tunings_of(top.table("tunings"));
}

}  // namespace parity::study

// SPDX-License-Identifier: BSD-3-Clause
#include "harness/plan.hpp"

#include <fmt/format.h>

#include <set>

#include "runtime/error.hpp"

namespace parity::harness {

using runtime::UsageError;

void check_count(const std::string& where, double problems) {
  constexpr std::size_t most_problems = 100000;
  if (problems > double(most_problems))
    throw UsageError(fmt::format("{}the lists make {:.3g} problems; {} is the most, so give shorter lists",
                                 where, problems, most_problems));
}

std::vector<Case> product(const Study& study, const std::map<std::string, std::vector<Value>>& axes,
                          const std::vector<Choice>& choices, const std::string& where) {
  double problems = 1;
  for (const auto& [name, values] : axes) problems *= double(values.size());
  check_count(where, problems);
  std::vector<Values> all(1);
  for (const Parameter& p : study.parameters()) {
    const auto given = axes.find(p.name);
    const std::vector<Value> values = given == axes.end() ? std::vector<Value>{p.standard} : given->second;
    std::vector<Values> more;
    for (const Values& base : all)
      for (const Value& v : values) {
        more.push_back(base);
        more.back()[p.name] = v;
      }
    all = std::move(more);
  }
  std::vector<Case> cases;
  std::set<Values> known;
  for (const Values& values : all) {
    Case c;
    try {
      c.task = study.task(values);
    } catch (const UsageError& e) {
      throw UsageError(where + e.what());
    }
    for (const Choice& choice : choices)
      if (choice.named || c.task->meant(choice)) c.choices.push_back(choice);
    if (!c.choices.empty() && known.insert(c.task->values()).second) cases.push_back(std::move(c));
  }
  return cases;
}

void use_tunings(const Study& study, const TuningFile& tunings, std::vector<Case>& cases) {
  for (Case& c : cases) {
    use_tunings(study, tunings.everywhere, c.choices);
    const auto here = tunings.of_problem.find(text_of(c.task->values()));
    if (here != tunings.of_problem.end()) use_tunings(study, here->second, c.choices);
  }
}

}  // namespace parity::harness
